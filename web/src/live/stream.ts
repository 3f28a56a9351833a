// Server-sent events by fetch, which, unlike EventSource, can bear a token: it stands in a header, never in an address.

/** Cuts what comes into events: the text behind "data: ", up to an empty line. */
export class EventText {
  private rest = "";

  add(piece: string): string[] {
    const parts = (this.rest + piece).split("\n\n");
    this.rest = parts.pop()!;
    return parts.flatMap((part) => (part.startsWith("data: ") ? [part.slice(6)] : []));
  }
}

export interface Listening {
  opened: () => void;
  told: (data: string) => void;
  /** The connection is lost, or there is none; it is tried again. */
  lost: () => void;
  /** The server wants its token, or another one than `token`. */
  token: (wrong: boolean) => Promise<string>;
}

const again_ms = 1000;

async function read(body: ReadableStream<Uint8Array>, told: (data: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const text = new EventText();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text.add(decoder.decode(value, { stream: true })).forEach(told);
  }
}

/** Listens for good. The token stays in this page's memory alone. */
export async function listen(url: string, on: Listening): Promise<never> {
  let token: string | null = null;
  for (;;) {
    try {
      const response = await fetch(url, { cache: "no-store", headers: token === null ? {} : { Authorization: `Bearer ${token}` } });
      if (response.status === 401) {
        token = await on.token(token !== null);
        continue;
      }
      if (response.ok && response.body) {
        on.opened();
        await read(response.body, on.told);
      }
    } catch {
      // nobody is there, or no longer
    }
    on.lost();
    await new Promise((wake) => setTimeout(wake, again_ms));
  }
}
