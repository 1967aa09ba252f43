// One question and everything that is shown for it. Knows nothing of requests: it is told the events.
//
// The parts stand in the order in which they arrive, so what is already shown never moves.

import { Answer } from "./answer.js";
import { count, el } from "./dom.js";
import { receiptLater, receiptView } from "./receipt.js";
import { riskView } from "./risk.js";
import { markerButton, sourceLists } from "./sources.js";

const STAGES = {
  retrieving: "Searching the sources…",
  searching_web: "Looking at trusted web pages…",
  answering: "Reading what was found…",
};

/** How a turn ended, in a few words; its receipt has the whole sentence. */
const ENDINGS = {
  card: "A short fixed reply",
  emergency: "Signs of an emergency",
  deferred: "Not enough in the sources to answer",
  refused: "Not answered",
};

export class TurnView {
  #state;
  #risk;
  #answer;
  #after;
  #sources = [];
  #receipt = null;
  #id = null;
  #corpusVersion = null;
  #banner = "";
  #country;
  #openSource;

  /** `country` was sent along, if chosen; `openSource(source, corpusVersion, opener)` shows a passage. */
  constructor(question, { country, openSource }) {
    this.#country = country;
    this.#openSource = openSource;
    this.#state = el("p", { class: "state working", role: "status" }, "Thinking about your question…");
    this.#risk = el("div", { class: "risk" });
    const answer = el("div", { class: "answer", "aria-live": "polite", "aria-label": "Answer", role: "region" });
    this.#answer = new Answer(answer, (n) => this.#marker(n));
    this.#after = el("div", { class: "after" });
    this.element = el(
      "article",
      { class: "turn", "aria-label": "Question and answer" },
      el("h2", { class: "question", dir: "auto" }, question),
      this.#state,
      this.#risk,
      answer,
      this.#after,
    );
  }

  /** What the conversation remembers of the answer. */
  get said() {
    return [this.#banner, this.#answer.text].filter(Boolean).join("\n\n");
  }

  /** Shows one event of the stream; an unknown one is none of ours and changes nothing. */
  show(name, data) {
    const shows = {
      start: () => {
        this.#id = data.id;
        this.#corpusVersion = data.corpus_version;
      },
      status: () => this.#say(STAGES[data.stage] ?? "Working…"),
      risk: () => this.#showRisk(data),
      sources: () => (this.#sources = data.sources),
      delta: () => this.#add(data.text),
      card: () => this.#add(data.text),
      receipt: () => (this.#receipt = data),
      done: () => this.#finish(data),
    };
    if (Object.hasOwn(shows, name)) shows[name]();
  }

  /** Ends the turn with a sentence on what went wrong. `actions` are [label, function] pairs. */
  fail(message, { partial, reasons = [], actions = [] }) {
    this.#answer.finish();
    const text = Boolean(this.#answer.text);
    this.#end(partial && text ? "Incomplete" : "Not answered");
    this.#after.append(
      el(
        "div",
        { class: "problem", role: "alert" },
        el("p", {}, partial && text ? `${message} What is shown above is only a part.` : message),
        reasons.length ? el("ul", {}, ...reasons.map((reason) => el("li", {}, reason))) : null,
        ...actions.map(([label, run]) => el("button", { type: "button", class: "quiet", onclick: run }, label)),
      ),
    );
    this.#showSources(this.#answer.markers, text);
    if (this.#receipt) this.#after.append(receiptView(this.#receipt));
    else if (this.#id) this.#after.append(receiptLater(this.#id));
  }

  #showRisk(data) {
    if (data.banner) this.#banner = data.text;
    const view = riskView(data, this.#country);
    if (view) this.#risk.replaceChildren(view);
  }

  #add(text) {
    if (!this.#answer.text) this.#say("Writing the answer…");
    this.#answer.add(text);
  }

  #finish({ status, citations }) {
    this.#answer.finish();
    const used = new Set((citations ?? []).map((citation) => citation.n));
    const answered = status === "answered";
    const passages = `Answered from ${used.size} of ${count(this.#sources.length, "passage")} found`;
    this.#end(answered ? passages : (ENDINGS[status] ?? "Ended"));
    if (!this.#sources.length) this.#sources = this.#receipt?.retrieved_sources ?? [];
    this.#showSources(used, answered);
    if (this.#receipt) this.#after.append(receiptView(this.#receipt));
  }

  #showSources(used, answered) {
    const lists = sourceLists(this.#sources, used, { answered, open: (source, opener) => this.#open(source, opener) });
    if (lists) this.#after.append(lists);
  }

  #marker(n) {
    const source = this.#sources.find((candidate) => candidate.n === n);
    return source ? markerButton(source, (opened, opener) => this.#open(opened, opener)) : null;
  }

  #open(source, opener) {
    this.#openSource(source, this.#receipt?.corpus_version ?? this.#corpusVersion, opener);
  }

  #say(sentence) {
    if (this.#state.textContent !== sentence) this.#state.textContent = sentence;
  }

  #end(sentence) {
    this.#state.classList.remove("working");
    this.#say(sentence);
  }
}
