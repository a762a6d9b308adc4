/** The part of fetch that the client uses: undici's, Node's own and a server's handler all fit. */

export type FetchRequest = {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  redirect: "manual";
};

export type FetchAnswer = {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array> | null;
};

export type Fetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>;
