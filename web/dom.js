// Makes elements. Whatever comes from the server enters the page here, as text nodes and checked attributes only.

/** An element with attributes ("onclick" takes a function) and children; a string child becomes a text node. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The address as a URL if it is an absolute http or https one, else null. */
export function webAddress(value) {
  let url;
  try {
    url = new URL(value);
  } catch {
    return null;
  }
  return url.protocol === "https:" || url.protocol === "http:" ? url : null;
}

/** A link that opens apart and tells the other side nothing. */
export function outwardLink(href, ...children) {
  return el("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, ...children);
}

/** "1 source", "3 sources". */
export function count(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}
