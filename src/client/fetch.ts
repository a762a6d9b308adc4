/** The part of `fetch` that the client uses. undici, Node's own fetch and the handler of a server implement it. */

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
  /** All headers, for recordings. Absent if the implementation does not list them. */
  allHeaders?: Readonly<Record<string, string | string[] | undefined>>;
  body: AsyncIterable<Uint8Array> | null;
};

export type Fetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>;
