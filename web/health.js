// The quiet line that says what answers.

import { count } from "./dom.js";

const COLLECTION = "health";

/** Asks the service how it is and says it in `element`. */
export async function showHealth(element) {
  let health;
  try {
    health = await (await fetch("/api/health", { cache: "no-store" })).json();
  } catch {
    element.textContent = "The service cannot be reached at the moment.";
    return;
  }
  element.textContent = sentence(health);
}

function sentence(health) {
  const collection = health.corpus?.[COLLECTION];
  if (!health.ready || !collection?.passages) return "No collection is published yet, so nothing can be answered.";
  const what = `Collection version ${collection.corpus_version}, ${count(collection.passages, "passage")}`;
  return `${what}${collection.vectors ? "." : "; search by keyword only at the moment."}`;
}
