/** A request as it is typed, answered by a service: the table of operations says which operation it means. */

import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import { validationBody } from "../schemas/error-body.ts";
import { readQuery } from "../schemas/read-query.ts";
import { type RawAnswer, type RawRequest, type Service, ServiceError } from "../service.ts";

/** @throws ServiceError as a server would refuse it */
export async function callByTable(service: Service, { method, path, body }: RawRequest): Promise<RawAnswer> {
  const { pathname, searchParams } = new URL(path, "http://here");
  const found = (Object.keys(operations) as OperationName[]).find(
    (name) => operationRow(name).method === method && pattern(name).test(pathname),
  );
  if (!found) throw new ServiceError(404, { code: "NOT_FOUND", message: `there is no ${method} ${pathname}` });
  const row = operationRow(found);
  const { query, problems } = await readQuery(searchParams, row);
  if (problems.length > 0) throw new ServiceError(400, validationBody(problems));
  const { groups = {} } = pattern(found).exec(pathname) ?? {};
  const input = { ...groups, ...(row.query && { query }), ...(body !== undefined && { body }) };
  const output = await (service[found] as (input: unknown) => Promise<unknown>)(input);
  const wrapped = row.paged ? output : { data: output };
  return { status: row.status, headers: {}, body: row.result ? wrapped : undefined };
}

/** Fixed words stand before parameters in the table, so that the first match is the right one. */
function pattern(name: OperationName): RegExp {
  return new RegExp(`^${operationRow(name).path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}
