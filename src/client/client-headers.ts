/** The headers that describe the client: the program, and the trace that a pipeline has started. */

type Environment = Readonly<Record<string, string | undefined>>;

/** A trace parent (W3C Trace Context): version, trace id, parent id and flags. Ids of zeros are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns `user-agent`, and `traceparent` if the variable TRACEPARENT is well-formed. */
export function clientHeaders(version: string, env: Environment): Record<string, string> {
  const trace = env["TRACEPARENT"] ?? "";
  return {
    "user-agent": userAgent(version, env),
    ...(TRACEPARENT.test(trace) && { traceparent: trace }),
  };
}

/** Returns a text such as `formctl/1.2.0 (linux x64; Node.js 24.1.0; CI GitHub Actions)`. */
function userAgent(version: string, env: Environment): string {
  const service = env["GITHUB_ACTIONS"] ? " GitHub Actions" : env["GITLAB_CI"] ? " GitLab" : "";
  const isCi = service !== "" || !["", "0", "false"].includes(env["CI"] ?? "");
  const system = `${process.platform} ${process.arch}; Node.js ${process.versions.node}`;
  return `formctl/${version} (${system}${isCi ? `; CI${service}` : ""})`;
}
