/**
 * A handwritten server on the same PostgreSQL database, with hono, pg and pino: `node handwritten-postgres.ts URL`.
 *
 * - All statements are prepared. A GET is one query, which also finds the token.
 * - A POST takes the lock of the organization, inserts all rows with one statement, and commits.
 * - It sends an entity tag, and logs the request.
 *
 * It has no limits, no hashes of records, no replays, no checks of drafts, and no snapshot for a list and its total.
 */

import { createHash, randomUUID } from "node:crypto";
import { type ServerType, serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { Pool } from "pg";
import { pino } from "pino";
import { randomId } from "../../src/engine/ids.ts";

const [url = "", connections = "10"] = process.argv.slice(2);
const pool = new Pool({ connectionString: url, max: Number(connections) });

const sha256 = (text: string, encoding: "hex" | "base64url" = "hex") =>
  createHash("sha256").update(text).digest(encoding);

const FORM = `
  json_build_object('id', f.id, 'organizationId', f.org_id, 'objectId', f.object_id, 'name', f.name,
    'types', (SELECT json_agg(t.mode ORDER BY t.position) FROM form_types t WHERE t.org_id = f.org_id AND t.form_id = f.id),
    'isActive', f.is_active = 1, 'isPublic', f.is_public = 1, 'publicToken', f.public_token, 'config', f.config::json,
    'viewLayoutId', l.id, 'viewLayoutName', l.name, 'createdAt', f.created_at, 'updatedAt', f.updated_at,
    'versionId', v.id, 'verdict', v.verdict::json)`;
const FORMS = `
  forms f LEFT JOIN layouts l ON l.org_id = f.org_id AND l.owner_form_id = f.id
  LEFT JOIN layout_versions v ON v.org_id = l.org_id AND v.layout_id = l.id AND v.status = 'PUBLISHED'`;
const TOKEN = `
  SELECT t.id, t.org_id, t.permissions, o.id AS object_id
  FROM api_tokens t JOIN modules m ON m.org_id = t.org_id AND m.key = $2
    JOIN objects o ON o.org_id = m.org_id AND o.module_id = m.id AND o.key = $3
  WHERE t.token_sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4)`;

const statements = {
  form: `WITH token AS (${TOKEN})
    SELECT token.*, (SELECT ${FORM} FROM ${FORMS} WHERE f.org_id = token.org_id AND f.id = $5
                     AND f.object_id = token.object_id) AS found FROM token`,
  list: `WITH token AS (${TOKEN})
    SELECT token.*,
      (SELECT json_agg(page.form) FROM (SELECT ${FORM} AS form FROM ${FORMS}
         WHERE f.org_id = token.org_id AND f.object_id = token.object_id
         ORDER BY f.created_at, f.id LIMIT $5 OFFSET $6) page) AS found,
      (SELECT count(*) FROM forms f WHERE f.org_id = token.org_id AND f.object_id = token.object_id) AS total,
      (SELECT json_agg(d) FROM form_defaults d WHERE d.org_id = token.org_id AND d.object_id = token.object_id) AS defaults
    FROM token`,
  token: TOKEN,
  lock: "UPDATE organization_state SET version = version + 1, audit_seq = audit_seq + 1 WHERE org_id = $1",
  create: `WITH form AS (
      INSERT INTO forms (id, org_id, object_id, name, name_folded, is_active, is_public, created_at, updated_at)
      VALUES ($1, $2, $3, $4, lower($4), 1, 0, $5, $5)),
    types AS (
      INSERT INTO form_types (form_id, org_id, object_id, mode, position)
      SELECT $1, $2, $3, mode, position - 1 FROM unnest($6::text[]) WITH ORDINALITY AS modes (mode, position)),
    layout AS (
      INSERT INTO layouts (id, org_id, surface, target, target_key, owner_form_id, name, status, last_version, created_at, updated_at)
      VALUES ($7, $2, 'DYNAMIC_OBJECT', $8, $8, $1, $4, 'DRAFT', 1, $5, $5)),
    content AS (INSERT INTO layout_contents (layout_id, org_id, sha256, content) VALUES ($7, $2, $9, $10)),
    version AS (
      INSERT INTO layout_versions (id, org_id, layout_id, number, status, supported_modes, content_sha256, state, validation, created_at)
      VALUES ($11, $2, $7, 1, 'DRAFT', array_to_json($6::text[])::text, $9, 'valid', $12, $5))
    INSERT INTO audit (org_id, seq, at, token_id, operation, target, request_id)
    SELECT org_id, audit_seq, $5, $13, 'createForm', $14, $15 FROM organization_state WHERE org_id = $2`,
};

type Row = Record<string, unknown>;
const prepared = (name: keyof typeof statements, values: unknown[]) => ({ name, text: statements[name], values });
const first = async (name: keyof typeof statements, values: unknown[]) =>
  (await pool.query<Row>(prepared(name, values))).rows[0];

/** Adds what formctl computes from a row. */
function toForm({ versionId, verdict, ...form }: Row): Row {
  const modes = form["types"] as string[];
  const working = versionId === null ? [] : (verdict as { working: string[] }).working;
  const state =
    versionId === null
      ? { state: "DRAFT_ONLY", layoutId: form["viewLayoutId"], layoutName: form["viewLayoutName"] }
      : { state: "PUBLISHED", layoutId: form["viewLayoutId"], layoutName: form["viewLayoutName"], versionId };
  return {
    ...form,
    layoutAvailability: Object.fromEntries(modes.map((mode) => [mode, state])),
    usableTypes: modes.filter((mode) => working.includes(mode)),
    layoutWarnings:
      versionId === null
        ? modes.map((type) => ({ type, code: "LAYOUT_DRAFT_ONLY", message: "the layout has not been published" }))
        : [],
  };
}

const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: true }));
const app = new Hono<{ Variables: { requestId: string } }>();

app.use(async (c, next) => {
  const start = performance.now();
  const requestId = randomUUID();
  c.set("requestId", requestId);
  await next();
  c.header("x-request-id", requestId);
  c.header("cache-control", "no-store");
  const ms = Math.round((performance.now() - start) * 10) / 10;
  log.info({ requestId, method: c.req.method, path: c.req.path, status: c.res.status, ms }, "request");
});

const PATH = "/v1/custom-modules/:module/objects/:object/forms";

/** Returns the first values of each statement: the hash of the token, the keys of the object, and the time. */
function callOf(c: Context): unknown[] {
  const secret = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  return [sha256(secret), c.req.param("module"), c.req.param("object"), new Date().toISOString()];
}

function answered(c: Context, value: Row, status: 200 | 201) {
  const text = JSON.stringify(value);
  const etag = `"${sha256(text, "base64url").slice(0, 22)}"`;
  return c.body(`{"data":${text}}`, status, { "content-type": "application/json", etag });
}

const mayNot = (row: Row | undefined, permission: string) =>
  row === undefined || !(JSON.parse(String(row["permissions"])) as string[]).includes(permission);
const refused = { error: { code: "UNAUTHORIZED", message: "the token is unknown, or lacks the permission" } };

app.get(PATH, async (c) => {
  const [page, limit] = [Number(c.req.query("page") ?? 1), Number(c.req.query("limit") ?? 20)];
  const row = await first("list", [...callOf(c), limit, (page - 1) * limit]);
  if (mayNot(row, "api.custom_forms.read")) return c.json(refused, 401);
  const defaults = new Map(((row!["defaults"] ?? []) as Row[]).map((each) => [each["mode"], each["form_id"]]));
  const data = ((row!["found"] ?? []) as Row[]).map((each) => ({
    ...toForm(each),
    isDefaultCreate: defaults.get("CREATE") === each["id"],
    isDefaultView: defaults.get("VIEW") === each["id"],
    isDefaultEdit: defaults.get("EDIT") === each["id"],
  }));
  const total = Number(row!["total"]);
  return c.json({ data, meta: { page, limit, total, hasMore: page * limit < total } });
});

app.get(`${PATH}/:form`, async (c) => {
  const row = await first("form", [...callOf(c), c.req.param("form")]);
  if (mayNot(row, "api.custom_forms.read")) return c.json(refused, 401);
  if (row!["found"] === null) return c.json({ error: { code: "NOT_FOUND", message: "the form does not exist" } }, 404);
  return answered(c, toForm(row!["found"] as Row), 200);
});

const CONTENT = JSON.stringify({
  blocks: [],
  metadata: null,
  regions: [
    { key: "main", layout: "grid", columns: 12 },
    { key: "sidebar", layout: "grid", columns: 4 },
  ],
  schemaVersion: 1,
  scriptBindings: [],
  stagedFieldDefinitions: [],
});
const CONTENT_HASH = sha256(CONTENT);
const VALIDATION = JSON.stringify({ state: "valid", errors: [], warnings: [] });

app.post(PATH, async (c) => {
  const body = await c.req.json<{ name?: unknown; types?: unknown }>();
  if (typeof body.name !== "string" || !Array.isArray(body.types)) return c.json(refused, 400);
  const token = await first("token", callOf(c));
  if (mayNot(token, "api.custom_forms.manage")) return c.json(refused, 401);
  const { org_id: orgId, object_id: objectId } = token as { org_id: string; object_id: string };
  const [now, id, layoutId] = [new Date().toISOString(), randomId("form"), randomId("layout")];
  const target = JSON.stringify({ moduleKey: c.req.param("module"), objectKey: c.req.param("object"), formId: id });
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(prepared("lock", [orgId]));
    const layout = [layoutId, target, CONTENT_HASH, CONTENT, randomId("version"), VALIDATION];
    const request = [token!["id"], c.req.path, c.get("requestId")];
    await client.query(prepared("create", [id, orgId, objectId, body.name, now, body.types, ...layout, ...request]));
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
  const form = {
    id,
    organizationId: orgId,
    objectId,
    name: body.name,
    types: body.types as unknown[],
    isActive: true,
    isPublic: false,
    publicToken: null,
    config: null,
    viewLayoutId: layoutId,
    viewLayoutName: body.name,
    createdAt: now,
    updatedAt: now,
    versionId: null,
    verdict: null,
  };
  return answered(c, toForm(form), 201);
});

const server: ServerType = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
  process.stdout.write(`http://127.0.0.1:${port}\n`),
);
process.on("SIGTERM", () => server.close(() => process.exit()));
