// POST /api/chat and its stream, as events. Knows nothing of the page.

import { EventParser } from "./sse.js";

const SILENCE_MS = 45_000; // the server sends a comment every 10 s: a longer silence is a dead connection

/** The request was answered with an error, or not at all. `retryable` tells whether asking again can help. */
export class ChatError extends Error {
  constructor(message, { retryable, reasons = [] }) {
    super(message);
    this.retryable = retryable;
    this.reasons = reasons;
  }
}

/** The stream broke off before its end. */
export class Incomplete extends Error {}

/** The events of one turn as {name, data}, data parsed. Throws ChatError, Incomplete, or the controller's reason. */
export async function* chat(body, controller) {
  const response = await open(body, controller);
  const reader = response.body.getReader();
  const decoder = new TextDecoder(); // keeps the bytes of a character that is split over pieces
  const parser = new EventParser();
  let ended = false;
  try {
    while (true) {
      const { value, done } = await read(reader, controller);
      for (const event of parser.feed(decoder.decode(value, { stream: !done }))) {
        ended ||= event.name === "done" || event.name === "error";
        yield { name: event.name, data: parse(event.data) };
      }
      if (done) break;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  if (!ended) throw new Incomplete("The connection ended before the answer was complete.");
}

async function open(body, controller) {
  let response;
  try {
    response = await fetch("/api/chat", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream, application/problem+json" },
      body: JSON.stringify(body),
      signal: controller.signal,
      cache: "no-store",
    });
  } catch (cause) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw new ChatError("Galen cannot be reached. Check your connection, then ask again.", { retryable: true });
  }
  if (response.ok && (response.headers.get("content-type") ?? "").startsWith("text/event-stream")) return response;
  throw await refusal(response);
}

async function refusal(response) {
  const problem = await response.json().catch(() => ({}));
  const retryable = response.ok || response.status >= 500 || response.status === 429;
  const detail = typeof problem?.detail === "string" ? problem.detail : "The question could not be taken just now.";
  const reasons = Array.isArray(problem?.errors) ? problem.errors.map((error) => String(error?.reason ?? "")) : [];
  return new ChatError(detail, { retryable, reasons: reasons.filter(Boolean) });
}

async function read(reader, controller) {
  const silence = setTimeout(() => controller.abort(new Incomplete("The connection went silent.")), SILENCE_MS);
  try {
    return await reader.read();
  } catch {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw new Incomplete("The connection was cut before the answer was complete.");
  } finally {
    clearTimeout(silence);
  }
}

function parse(data) {
  try {
    return JSON.parse(data);
  } catch {
    throw new Incomplete("A part of the answer could not be read.");
  }
}
