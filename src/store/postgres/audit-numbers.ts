/**
 * The numbers that a write transaction reserves in the audit log of its organization. One statement locks the
 * organization, raises its version and reserves the numbers.
 */

import sql, { type Sql } from "sql-template-tag";
import { resultOf, type Settled, settled } from "../../base/settled.ts";
import { withoutState } from "../audit.ts";
import type { QueryResult } from "./connection.ts";

export class AuditNumbers {
  readonly #orgId: string;
  readonly #count: number;
  #used = 0;
  /** The highest reserved number. */
  #last: Promise<Settled<number>> | undefined;

  /** @param count the number of writes in the transaction. Most writes add one row to the log */
  constructor(orgId: string, count: number) {
    this.#orgId = orgId;
    this.#count = count;
  }

  /** The first statement of the transaction. The next write of the organization waits until the transaction ends. */
  get reservation(): Sql {
    return sql`
      UPDATE organization_state SET version = version + 1, audit_seq = audit_seq + ${this.#count}
      WHERE org_id = ${this.#orgId} RETURNING audit_seq`;
  }

  /** @throws StoreError STORE_CORRUPT if the organization has no state. Its writes would not wait for each other */
  async begin(reserved: Promise<QueryResult | undefined>): Promise<void> {
    const last = reserved.then((result) => {
      const state = result?.rows[0] as { audit_seq: number } | undefined;
      if (!state) throw withoutState(this.#orgId);
      return state.audit_seq;
    });
    this.#last = settled(last);
    await last;
  }

  /** See `Tx.reservedAuditNumber`. */
  async next(): Promise<number | undefined> {
    if (!this.#last || this.#used === this.#count) return undefined;
    const number = this.#count - ++this.#used;
    return resultOf(await this.#last) - number;
  }

  /**
   * The last statement of the transaction, if numbers are left. Without it, the log would seem to lack rows. A write that
   * is refused needs no number.
   */
  get release(): Sql | undefined {
    const left = this.#count - this.#used;
    return left === 0
      ? undefined
      : sql`UPDATE organization_state SET audit_seq = audit_seq - ${left} WHERE org_id = ${this.#orgId}`;
  }
}
