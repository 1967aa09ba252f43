// The numbered sources under an answer, and the panel that opens one of them.

import { el, outwardLink, webAddress } from "./dom.js";

/** The sources of an answer as lists: the used ones open, the others folded away below. */
export function sourceLists(sources, used, { answered, open }) {
  if (!sources.length) return null;
  const [shown, rest] = [sources.filter((s) => used.has(s.n)), sources.filter((s) => !used.has(s.n))];
  const section = el("section", { class: "sources", "aria-label": "Sources" });
  if (shown.length) {
    section.append(el("h3", {}, "Sources used in the answer"), list(shown, open));
  }
  if (rest.length) {
    const title = answered ? `Found, but not used in the answer (${rest.length})` : `Nearest passages found (${rest.length})`;
    section.append(el("details", { class: "rest" }, el("summary", {}, title), list(rest, open)));
  }
  return section;
}

function list(sources, open) {
  return el("ol", { class: "source-list" }, ...sources.map((source) => el("li", {}, entry(source, open))));
}

function entry(source, open) {
  return el(
    "button",
    { type: "button", class: "source", "data-n": source.n, "aria-haspopup": "dialog", onclick: (e) => open(source, e.currentTarget) },
    el("span", { class: "number" }, el("span", { class: "hidden" }, "Source "), String(source.n)),
    el(
      "span",
      { class: "about" },
      el("bdi", { class: "title" }, source.title),
      source.heading ? el("bdi", { class: "heading" }, source.heading) : null,
      el("span", { class: "origin" }, el("bdi", {}, source.organization), " · ", el("span", { class: "date" }, origin(source))),
    ),
  );
}

/** The button of marker n inside an answer. */
export function markerButton(source, open) {
  return el(
    "button",
    {
      type: "button",
      class: "marker",
      "data-n": source.n,
      "aria-label": `Source ${source.n}: ${source.title}`,
      "aria-haspopup": "dialog",
      onclick: (e) => open(source, e.currentTarget),
    },
    String(source.n),
  );
}

/** The date of a passage; of a web page that was read for this answer, that it is one. */
function origin(source) {
  return source.web ? `web page, read on ${source.date_seen}` : dated(source.version_date);
}

function dated(date) {
  return date ?? "date not given";
}

/** The dialog that shows a passage. The browser keeps the focus inside it and closes it on Esc. */
export class SourcePanel {
  #dialog;
  #body;
  #opener = null;
  #shown = null; // the source being shown: a reply for another one comes too late

  constructor(dialog) {
    this.#dialog = dialog;
    this.#body = dialog.querySelector("#panel-body");
    dialog.querySelector("#panel-close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // the backdrop
    dialog.addEventListener("close", () => this.#closed());
  }

  async open(source, corpusVersion, opener) {
    this.#opener = opener;
    this.#shown = source;
    this.#dialog.querySelector("#panel-number").textContent = `Source ${source.n}`;
    const status = el("p", { class: "passage waiting", role: "status" }, "Opening the passage…");
    if (source.web) status.textContent = "This page was read for this answer and is not part of the collection: open the page itself.";
    this.#show(source, status);
    this.#dialog.showModal();
    this.#body.scrollTop = 0;
    if (source.web) return;
    let passage;
    try {
      passage = await fetchPassage(source.chunk_id, corpusVersion);
    } catch (problem) {
      if (this.#shown === source) status.textContent = `The passage cannot be opened. ${problem.message}`;
      return;
    }
    if (this.#shown !== source) return;
    const text = el("blockquote", { class: "passage", dir: "auto", lang: passage.lang }, passage.text);
    this.#show({ ...source, ...passage }, text);
  }

  #show(source, passage) {
    const url = webAddress(source.url);
    this.#body.replaceChildren(
      el("h2", { id: "panel-title", dir: "auto" }, source.title),
      source.heading ? el("p", { class: "heading", dir: "auto" }, source.heading) : "",
      passage,
      el(
        "dl",
        { class: "facts" },
        ...fact("Organisation", source.organization),
        ...fact("Date", dated(source.version_date)),
        ...fact("Source seen", source.date_seen),
        ...fact("Licence", source.licence || "not given"),
        ...fact("How it was found", found(source.scores)),
        ...fact("Collection version", source.corpus_version),
      ),
      url ? el("p", {}, outwardLink(url.href, `Open the page at ${url.hostname}`)) : "",
    );
  }

  #closed() {
    this.#shown = null;
    if (this.#opener?.isConnected) this.#opener.focus();
    this.#opener = null;
  }
}

function fact(name, value) {
  return value ? [el("dt", {}, name), el("dd", {}, el("bdi", {}, value))] : [];
}

/** Scores under their own names; higher is nearer in both. */
function found(scores) {
  const legs = [];
  if (typeof scores?.dense === "number") legs.push(`by meaning (cosine ${scores.dense.toFixed(2)})`);
  if (typeof scores?.keyword === "number") legs.push(`by keyword (BM25 ${scores.keyword.toFixed(1)})`);
  return legs.join(", ");
}

async function fetchPassage(chunkId, corpusVersion) {
  const query = corpusVersion ? `?corpus_version=${encodeURIComponent(corpusVersion)}` : "";
  let response;
  try {
    response = await fetch(`/api/chunks/${encodeURIComponent(chunkId)}${query}`);
  } catch {
    throw new Error("Galen cannot be reached: check your connection.");
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.detail ?? "Please try again.");
  return body;
}

