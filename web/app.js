// The page: one conversation, held in memory only. Start reading here.

import { chat, ChatError, Incomplete } from "./chat.js";
import { setUpCountry } from "./countries.js";
import { showHealth } from "./health.js";
import { SourcePanel } from "./sources.js";
import { TurnView } from "./turn.js";

const MAX_MESSAGES = 199; // the API takes 200 messages and 200,000 characters: the oldest are left out first
const MAX_CHARS = 150_000;

const byId = (id) => document.getElementById(id);
const [form, box, send, stop, country] = ["composer", "question", "send", "stop", "country"].map(byId);
const panel = new SourcePanel(byId("panel"));

class Stopped extends Error {}

let turns = []; // {question, view, refused} of everything that was asked, in order
let running = null; // the AbortController of the answer being written

async function ask(question) {
  if (running || !question.trim()) return;
  const openSource = (source, version, opener) => panel.open(source, version, opener);
  const view = new TurnView(question, { country: country.value, openSource });
  const body = {
    messages: [...history(), { role: "user", content: question }],
    stream: true,
    ...(country.value && { countryCode: country.value }),
  };
  const turn = { question, view };
  const controller = new AbortController();
  turns.push(turn);
  begin(view, controller);
  try {
    for await (const { name, data } of chat(body, controller)) {
      if (name === "error") failed(turn, data);
      else view.show(name, data);
    }
  } catch (problem) {
    if (turns.includes(turn)) broken(turn, problem);
  } finally {
    if (running === controller) finish();
  }
}

function history() {
  const taken = turns.filter(({ refused }) => !refused); // a question that the API refused would be refused again
  const messages = taken.flatMap(({ question, view }) => [
    { role: "user", content: question },
    ...(view.said ? [{ role: "assistant", content: view.said }] : []),
  ]);
  const kept = messages.slice(-MAX_MESSAGES + 1);
  while (kept.reduce((sum, message) => sum + message.content.length, 0) > MAX_CHARS) kept.shift();
  return kept;
}

// -- how a turn can end other than well -------------------------------------------------------------------------------

function failed(turn, { message, retryable }) {
  turn.view.fail(message, { partial: true, actions: retryable ? [["Ask again", () => again(turn)]] : [] });
}

function broken(turn, problem) {
  const askAgain = ["Ask again", () => again(turn)];
  if (problem instanceof Stopped) {
    turn.view.fail("You stopped this answer.", { partial: true, actions: [askAgain] });
  } else if (problem instanceof Incomplete) {
    turn.view.fail(problem.message, { partial: true, actions: [askAgain] });
  } else if (problem instanceof ChatError) {
    turn.refused = !problem.retryable;
    const edit = ["Edit the question", () => reword(turn)];
    turn.view.fail(problem.message, { reasons: problem.reasons, actions: [problem.retryable ? askAgain : edit] });
  } else {
    turn.view.fail("This page failed to show the answer. Please ask again.", { partial: true, actions: [askAgain] });
    console.error(problem.name); // not the message: it can hold what was asked
  }
}

function again(turn) {
  if (running) return;
  forget(turn);
  ask(turn.question);
}

function reword(turn) {
  forget(turn);
  box.value = turn.question;
  fit();
  box.focus();
}

function forget(turn) {
  turns = turns.filter((other) => other !== turn);
  turn.view.element.remove();
  showWelcome();
}

// -- the page around the turns ----------------------------------------------------------------------------------------

function begin(view, controller) {
  running = controller;
  const leaving = document.activeElement;
  byId("conversation").append(view.element);
  showWelcome();
  [send.hidden, stop.hidden] = [true, false];
  if (leaving === send || leaving.closest(".welcome")) stop.focus({ preventScroll: true }); // what had the focus is gone
  view.element.scrollIntoView({ block: "start" });
}

function finish() {
  running = null;
  const focused = document.activeElement === stop;
  [send.hidden, stop.hidden] = [false, true];
  if (focused && !matchMedia("(pointer: coarse)").matches) box.focus({ preventScroll: true });
}

function showWelcome() {
  byId("welcome").hidden = turns.length > 0;
  byId("new").hidden = turns.length === 0;
}

function startOver() {
  const controller = running;
  turns = [];
  byId("conversation").replaceChildren();
  controller?.abort(new Stopped());
  if (controller) finish();
  showWelcome();
  box.value = "";
  fit();
  box.focus();
}

/** The box grows with its text where the browser does not do it by itself. */
function fit() {
  if (CSS.supports("field-sizing", "content")) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running || !box.value.trim()) return;
  const question = box.value.trim();
  box.value = "";
  fit();
  if (matchMedia("(pointer: coarse)").matches) box.blur(); // the keyboard on the screen would cover the answer
  ask(question);
});

box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  form.requestSubmit();
});

box.addEventListener("input", fit);
stop.addEventListener("click", () => running?.abort(new Stopped()));
byId("new").addEventListener("click", startOver);
for (const example of document.querySelectorAll(".example")) {
  example.addEventListener("click", () => ask(example.textContent));
}

setUpCountry(country);
showHealth(byId("health"));
