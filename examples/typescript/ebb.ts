// A thin client of ebb's HTTP API, with nothing but fetch.
//
//   ebb token add example --user ada --as host      # prints the token
//   ebb serve                                       # in another terminal
//   EBB_TOKEN=ebb_... node ebb.ts                   # Node 22.18 or newer runs TypeScript
//
// With --as host the messages of role "user" are the user's own words. docs/SERVE.md
// describes the API, and /v1/openapi.json each field.

export interface Turn {
  role: "user" | "assistant" | "tool";
  text: string;
  id?: string; // the same id is stored once
}

export interface Found {
  rank: number;
  memory: { id: string; content: string };
  why?: string;
}

// The memory of one user: the token says whose.
export class Ebb {
  private readonly url: string;
  private readonly token: string;

  constructor(url: string, token: string) {
    this.url = url.replace(/\/$/, "");
    this.token = token;
  }

  // Stores messages of a conversation.
  async record(session: string, ...turns: Turn[]): Promise<number> {
    return (await this.post<{ accepted: number }>("/v1/turns", { session, turns })).accepted;
  }

  // The text to put before the model; empty if nothing may help.
  async context(session: string, question: string): Promise<string> {
    return (await this.post<{ block: string }>("/v1/context", { session, question })).block;
  }

  async search(query: string, limit = 10): Promise<Found[]> {
    return (await this.post<{ results: Found[] }>("/v1/search", { query, limit })).results;
  }

  async remember(sentence: string): Promise<string> {
    return (await this.post<{ change: string }>("/v1/facts", { content: sentence })).change;
  }

  private async post<T>(path: string, body: unknown): Promise<T> {
    const response = await fetch(this.url + path, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    if (!response.ok) {
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }
    return (await response.json()) as T;
  }
}

const token = process.env.EBB_TOKEN;
if (!token) {
  throw new Error("set EBB_TOKEN to a token of `ebb token add`");
}
const memory = new Ebb(process.env.EBB_URL ?? "http://127.0.0.1:7411", token);
await memory.record(
  "monday",
  { role: "user", text: "I'm allergic to cashews.", id: "typescript-1" },
  { role: "assistant", text: "Noted.", id: "typescript-2" },
);
console.log("remember:", await memory.remember("I live in Ghent."));
console.log("search:", (await memory.search("allergic", 1))[0].memory.content);
console.log("context:", await memory.context("tuesday", "Shall I order the cashew curry?"));
