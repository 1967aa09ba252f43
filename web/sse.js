// Parses a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
// EventSource itself cannot POST, so the page reads the stream from fetch() and parses it here.

/** Takes text in pieces cut anywhere and gives back the events that became complete: [{name, data}]. */
export class EventParser {
  #line = "";
  #name = "";
  #data = [];
  #afterReturn = false; // the last piece ended in CR: a LF that opens the next one belongs to it
  #first = true;

  feed(text) {
    const events = [];
    for (const run of this.#runs(text)) {
      if (run !== null) {
        this.#line += run;
        continue;
      }
      const event = this.#take(this.#line);
      this.#line = "";
      if (event) events.push(event);
    }
    return events;
  }

  /** Runs of text, and null for each line end (LF, CR or CRLF). */
  *#runs(text) {
    if (this.#first && text) {
      this.#first = false;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    if (this.#afterReturn && text) {
      this.#afterReturn = false;
      if (text.startsWith("\n")) text = text.slice(1);
    }
    this.#afterReturn ||= text.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    for (const [i, line] of lines.entries()) {
      if (i > 0) yield null;
      if (line) yield line;
    }
  }

  #take(line) {
    if (line === "") return this.#dispatch();
    if (line.startsWith(":")) return null; // a comment: the server's heartbeat
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#name = value;
    if (field === "data") this.#data.push(value);
    return null; // id and retry serve reconnection, which a POST does not have
  }

  #dispatch() {
    const event = this.#data.length ? { name: this.#name || "message", data: this.#data.join("\n") } : null;
    this.#name = "";
    this.#data = [];
    return event;
  }
}
