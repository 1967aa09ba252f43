// The risk event: an emergency banner, or a calm notice.

import { el } from "./dom.js";

const PURPOSES = {
  emergency: "Emergency",
  ambulance: "Ambulance",
  crisis: "Crisis line",
  poison: "Poison help",
};

const HINT = "For the numbers of your country, choose it below the question box and ask again.";

/** The banner or notice of a risk event, or null when it says nothing. `country` is the one chosen, if any. */
export function riskView({ banner, text, numbers, steps }, country) {
  if (!banner) return text ? el("div", { class: "notice", role: "note" }, el("p", { dir: "auto" }, text)) : null;
  const lines = Object.entries(numbers ?? {}).map(number);
  const dialable = lines.some((line) => line.querySelector("a"));
  return el(
    "div",
    { class: "emergency", role: "alert" },
    el("p", { class: "emergency-text", dir: "auto" }, text),
    lines.length ? el("ul", { class: "numbers", "aria-label": "Numbers to call" }, ...lines) : null,
    dialable || country ? null : el("p", { class: "numbers-hint" }, HINT),
    steps?.length ? el("ol", { class: "steps" }, ...steps.map((step) => el("li", { dir: "auto" }, step))) : null,
  );
}

function number([purpose, dial]) {
  const name = PURPOSES[purpose] ?? purpose.replaceAll("_", " ");
  return el("li", {}, el("span", { class: "purpose" }, name), " ", ...dialled(String(dial)));
}

/** "112" and "111 or 999" as links to call; anything with other words ("text HOME to 741741") stays text. */
function dialled(dial) {
  const parts = dial.split(/(\s+or\s+|\s*[,;/]\s*)/);
  if (!parts.every((part, i) => i % 2 === 1 || /^\+?[\d][\d\s().-]*$/.test(part))) return [dial];
  return parts.map((part, i) => (i % 2 === 1 ? part : el("a", { href: `tel:${part.replace(/[^\d+]/g, "")}` }, part)));
}
