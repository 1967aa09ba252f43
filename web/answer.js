// Shows an answer while it arrives: paragraphs, bullets and numbered markers, all as text nodes.
//
// The text only grows, and so does what is shown: a tail that could still become a marker, a bullet or a new paragraph
// is held back until it is decided, so nothing shown changes its form later.

const MARKER = /\[(\d{1,3})\]/;
const BULLET = /^\s*[-*•]\s+(.*)$/;

/** One answer inside `element`. `markerFor(n)` makes the button of a known marker and returns null for others. */
export class Answer {
  #element;
  #markerFor;
  #known = new Map(); // n → whether markerFor knows it, asked once
  text = "";

  constructor(element, markerFor) {
    this.#element = element;
    this.#markerFor = markerFor;
  }

  add(text) {
    this.text += text;
    this.#show(decided(this.text));
  }

  /** Shows what was held back: nothing more comes. */
  finish() {
    this.#show(this.text);
  }

  /** The known markers in the text. */
  get markers() {
    const numbers = [...this.text.matchAll(new RegExp(MARKER, "g"))].map((found) => Number(found[1]));
    return new Set(numbers.filter((n) => this.#isKnown(n)));
  }

  #isKnown(n) {
    if (!this.#known.has(n)) this.#known.set(n, this.#markerFor(n) !== null);
    return this.#known.get(n);
  }

  #show(text) {
    for (const [i, block] of blocks(text).entries()) {
      const element = this.#element.children[i] ?? append(this.#element, block.items ? "ul" : "p");
      if (block.items) {
        for (const [j, item] of block.items.entries()) this.#fill(element.children[j] ?? append(element, "li"), item);
      } else {
        this.#fill(element, block.text);
      }
    }
  }

  #fill(element, text) {
    for (const [i, token] of this.#tokens(text).entries()) {
      const node = element.childNodes[i];
      if (node === undefined) element.append(typeof token === "string" ? token : this.#markerFor(token));
      else if (typeof token === "string") node.appendData(token.slice(node.length));
    }
  }

  /** Text and known markers in turn. */
  #tokens(text) {
    const tokens = [];
    let plain = "";
    for (const [i, part] of text.split(MARKER).entries()) {
      if (i % 2 === 0) {
        plain += part;
      } else if (this.#isKnown(Number(part))) {
        if (plain) tokens.push(plain);
        tokens.push(Number(part));
        plain = "";
      } else {
        plain += `[${part}]`;
      }
    }
    if (plain) tokens.push(plain);
    return tokens;
  }
}

/** The text without a tail whose form the next piece decides. */
export function decided(text) {
  return text
    .replace(/[\uD800-\uDBFF]$/, "")
    .replace(/\[\d{0,3}$/, "")
    .replace(/(^|\n)\s*[-*•]?\s*$/, "");
}

/** The text as [{text}] for paragraphs and [{items}] for lists. */
export function blocks(text) {
  const found = [];
  let gap = true;
  for (const line of text.split("\n")) {
    const last = found.at(-1);
    const bullet = BULLET.exec(line);
    if (!line.trim()) {
      gap = true;
      continue;
    }
    if (bullet && last?.items) last.items.push(bullet[1]);
    else if (bullet) found.push({ items: [bullet[1]] });
    else if (last && !last.items && !gap) last.text += `\n${line}`;
    else found.push({ text: line });
    gap = false;
  }
  return found;
}

function append(parent, tag) {
  const element = document.createElement(tag);
  element.dir = "auto";
  parent.append(element);
  return element;
}
