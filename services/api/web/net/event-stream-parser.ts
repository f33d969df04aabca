/** One server-sent event. */
export interface ServerEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

/** Cuts a text/event-stream that arrives in pieces into events. Comments and unknown fields are left out. */
export class EventStreamParser {
  #rest = '';
  #id: string | null = null;
  #type = '';
  #data: string[] = [];

  /** The events that are complete with this piece. */
  push(piece: string): ServerEvent[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    const events: ServerEvent[] = [];
    for (const line of lines) {
      if (line !== '') this.#field(line);
      else if (this.#data.length > 0) events.push(this.#take());
      else this.#type = '';
    }
    return events;
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id') this.#id = value;
    else if (name === 'event') this.#type = value;
    else if (name === 'data') this.#data.push(value);
  }

  #take(): ServerEvent {
    const event = { id: this.#id, type: this.#type || 'message', data: this.#data.join('\n') };
    this.#type = '';
    this.#data = [];
    return event;
  }
}
