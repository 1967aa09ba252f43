// The receipt of a turn, in words: what was decided and from what.

import { el, outwardLink } from "./dom.js";

const STATUS = {
  answered: "Answered from passages of the collection: the numbers in the answer name them.",
  card: "A short fixed reply: no sources were needed.",
  emergency: "Signs of an emergency: only fixed advice was shown, and nothing was written by a model.",
  deferred: "Not answered: the sources found were not enough to answer safely.",
  refused: "Not answered: this is a request that a health service must not serve.",
  failed: "Not answered: something failed on our side.",
  stopped: "Stopped: the answer was ended before it was complete.",
  interrupted: "Interrupted: the service was restarted before the answer was complete.",
};

const RISK = {
  R0: "general information",
  R1: "low",
  R2: "raised",
  R3: "high",
  R4: "urgent",
  R5: "immediate danger",
};

/** The sentence for a status. */
function statusSentence(status) {
  return STATUS[status] ?? `Ended as ${status}.`;
}

/** A receipt that came with the stream, as a disclosure. */
export function receiptView(receipt) {
  return el("details", { class: "receipt" }, el("summary", {}, "Receipt"), ...content(receipt));
}

/** The receipt of a turn whose stream was left early: fetched when it is opened. */
export function receiptLater(id) {
  const body = el("p", { role: "status" }, "Fetching the receipt…");
  const details = el("details", { class: "receipt" }, el("summary", {}, "Receipt"), body);
  details.addEventListener("toggle", async () => {
    if (!details.open || !body.isConnected) return;
    try {
      const response = await fetch(address(id), { cache: "no-store" });
      if (!response.ok) throw new Error();
      const receipt = await response.json();
      if (body.isConnected) body.replaceWith(...content(receipt));
    } catch {
      body.textContent = "The receipt is not there yet. Close and open this again in a moment.";
    }
  });
  return details;
}

function address(id) {
  return `/api/receipts/${encodeURIComponent(id)}`;
}

function content(receipt) {
  return [
    el("p", { class: "receipt-status" }, statusSentence(receipt.status)),
    el("dl", { class: "facts" }, ...rows(receipt).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    idLine(receipt.id),
  ];
}

function rows(r) {
  return [
    ["Status", r.status],
    ["Risk class", r.riskClass + (RISK[r.riskClass] ? ` (${RISK[r.riskClass]})` : "")],
    ["Safety rules that fired", listed(r.ruleFires) || "none"],
    ["Groundedness", groundedness(r.groundedness)],
    ["Held back by the checks", heldBack(r.filter)],
    ["Route", r.route + (r.gate?.reasons?.length ? ` (${listed(r.gate.reasons)})` : "")],
    ["Collection", [r.collection, r.corpus_version].filter(Boolean).join(", version ")],
    ["Model", [r.provider, r.model].filter(Boolean).join(" · ") || "none: nothing was generated"],
    ["Embedding model", r.embed_model ?? "none: keyword search"],
    ["Not at its best", listed(r.degraded) || "nothing"],
    ["Stage times", stageTimes(r.stages_ms) || "none"],
    ["Made", when(r.created_at)],
  ];
}

function groundedness(share) {
  const meaning = "share of sentences supported by their passages, checked by rules, not by a person";
  return typeof share === "number" ? `${Math.round(share * 100)} % (${meaning})` : "no sentence to check";
}

function heldBack(filter) {
  if (!filter?.removed) return "nothing";
  const reasons = Object.entries(filter.reasons ?? {}).map(([reason, n]) => `${words(reason)}: ${n}`);
  return `${filter.removed}` + (reasons.length ? ` (${reasons.join(", ")})` : "");
}

function stageTimes(stages) {
  return Object.entries(stages ?? {})
    .map(([name, ms]) => `${words(name)} ${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`)
    .join(" · ");
}

function when(iso) {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? String(iso) : time.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

function listed(values) {
  return (values ?? []).map(words).join(", ");
}

function words(id) {
  return String(id).replaceAll("_", " ");
}

function idLine(id) {
  const code = el("code", {}, id);
  const said = el("span", { role: "status", class: "copied" });
  const copy = async () => {
    said.textContent = (await copied(code)) ? "Copied" : "Selected: press Ctrl+C";
  };
  return el(
    "div",
    { class: "receipt-id" },
    el("p", {}, "Receipt id ", code),
    el("button", { type: "button", class: "quiet", onclick: copy }, "Copy id"),
    outwardLink(address(id), "Open as JSON"),
    said,
  );
}

/** Copies the element's text; where the browser forbids that, selects it. */
async function copied(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return false;
  }
}
