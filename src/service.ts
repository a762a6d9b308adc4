/** The port that commands talk to: whatever answers the table of operations. */

import type { ErrorBody } from "./schemas/error-body.ts";
import type { Input, OperationName, Output } from "./schemas/operations.ts";

export type Service = { [N in OperationName]: (input: Input<N>) => Promise<Output<N>> };

/**
 * The service has answered, and the answer is no. `status` is the HTTP status that the answer has or would have;
 * `body` holds everything that was said.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }

  get code(): string {
    return this.body.code;
  }
}
