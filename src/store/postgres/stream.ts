/**
 * The stream between pg and a database server. pg throws errors of its parser in the listener of the event `data`, where
 * no caller can catch them. This stream catches them, and limits the length of messages.
 */

import { connect, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

/** The maximum length of a row in bytes. The longest value is a draft, which has at most 8 MiB as JSON. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;

/** The maximum length of every other message in bytes. The longest ones describe the columns of a result. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** The maximum length of the rows and messages that answer one request, in bytes. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;

/** What pg needs in memory for a message besides its bytes. */
const OBJECT_BYTES = 200;

/** The type of a message, and its length, which includes the four bytes of the length. */
const HEADER_BYTES = 5;

const [AUTHENTICATION, DATA_ROW, ERROR] = [...Buffer.from("RDE")] as [number, number, number];
const [NOTICE, READY_FOR_QUERY] = [...Buffer.from("NZ")] as [number, number];

/** The authentication for which pg sends the password itself ("AuthenticationCleartextPassword"). */
const PLAIN_PASSWORD = 3;

/** The request to encrypt the connection ("SSLRequest" in the documentation of PostgreSQL). */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** A message that no server of PostgreSQL sends. */
class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** Checks each message in a sequence of bytes, which comes in any parts. */
class MessageCheck {
  readonly #header = Buffer.alloc(HEADER_BYTES);
  /** The bytes of the current header that have arrived. */
  #headerBytes = 0;
  /** The bytes of the current message that have not arrived. */
  #missingBytes = 0;
  #answerBytes = 0;
  /** The parts of the current message, if its content is checked. */
  #checked: Buffer[] | undefined;
  readonly #mayGetPassword: boolean;

  /** @param mayGetPassword whether the server may ask for the password in plain text */
  constructor(mayGetPassword: boolean) {
    this.#mayGetPassword = mayGetPassword;
  }

  /** @throws ProtocolError */
  add(bytes: Buffer): void {
    this.#answerBytes += bytes.length;
    for (let at = 0; at < bytes.length;) {
      if (this.#missingBytes > 0) {
        const part = bytes.subarray(at, at + this.#missingBytes);
        this.#missingBytes -= part.length;
        at += part.length;
        this.#checked?.push(part);
      } else {
        this.#header[this.#headerBytes++] = bytes[at++]!;
        if (this.#headerBytes === HEADER_BYTES) this.#beginMessage(bytes.length - at);
      }
      if (this.#missingBytes === 0 && this.#checked) this.#check(Buffer.concat(this.#checked));
    }
    if (this.#answerBytes > MAX_ANSWER_BYTES) throw tooLong(`an answer of ${this.#answerBytes} bytes`);
  }

  #beginMessage(following: number): void {
    const type = this.#header[0]!;
    const length = this.#header.readUInt32BE(1);
    if (length < 4 || length > (type === DATA_ROW ? MAX_ROW_BYTES : MAX_MESSAGE_BYTES))
      throw tooLong(`a message of ${length} bytes`);
    this.#missingBytes = length - 4;
    this.#headerBytes = 0;
    this.#answerBytes += OBJECT_BYTES;
    if (type === READY_FOR_QUERY) this.#answerBytes = following;
    this.#checked = [AUTHENTICATION, ERROR, NOTICE].includes(type) ? [] : undefined;
  }

  #check(body: Buffer): void {
    this.#checked = undefined;
    if (this.#header[0] === AUTHENTICATION) this.#checkAuthentication(body);
    else checkFields(body);
  }

  /** Any machine of the network that answers at the address of the server would get the password. */
  #checkAuthentication(body: Buffer): void {
    if (this.#mayGetPassword || body.length < 4 || body.readInt32BE() !== PLAIN_PASSWORD) return;
    throw new ProtocolError("the server asks for the password in plain text");
  }
}

/** Requires a zero byte after each field and after the last one. Without the last one, pg would read forever. */
function checkFields(body: Buffer): void {
  for (let at = 0; body[at] !== 0; at = body.indexOf(0, at) + 1)
    if (body.indexOf(0, at) === -1) throw new ProtocolError("the server sent an error that has no end");
}

/** Whether the server is on this machine. A socket with a path has no address. */
function isLocal({ remoteAddress }: Socket): boolean {
  return remoteAddress === undefined || /^(::ffff:)?127\.|^::1$/.test(remoteAddress);
}

function tooLong(what: string): ProtocolError {
  return new ProtocolError(`the server sent ${what}`);
}

/**
 * A stream to a server, for the option `stream` of pg. With `tls`, it requests encryption before pg sends anything.
 * Every error in the listeners of its data closes the connection.
 */
export class DatabaseStream extends Duplex {
  readonly #tls: false | ConnectionOptions;
  #messages: MessageCheck | undefined;
  #socket: Socket | undefined;
  #hasNoDelay = false;
  #isReferenced = true;

  constructor(tls: false | ConnectionOptions) {
    super();
    this.#tls = tls;
  }

  /** Connects to a host, or to the path of a socket. Emits `connect` when pg may send its first message. */
  connect(portOrPath: number | string, host = "localhost"): this {
    const socket = typeof portOrPath === "number" ? connect({ port: portOrPath, host }) : connect({ path: portOrPath });
    this.#attach(socket);
    socket.once("connect", () => {
      const isVerified = this.#tls !== false && this.#tls.rejectUnauthorized !== false;
      this.#messages = new MessageCheck(isVerified || isLocal(socket));
      if (this.#tls === false) return this.#open(socket);
      socket.once("data", (answer: Buffer) => this.#encrypt(socket, host, this.#tls as ConnectionOptions, answer));
      return void socket.write(TLS_REQUEST);
    });
    return this;
  }

  /** Uses a socket from now on. */
  #attach(socket: Socket): void {
    this.#socket = socket;
    if (this.#hasNoDelay) socket.setNoDelay(true);
    if (!this.#isReferenced) socket.unref();
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  #encrypt(socket: Socket, host: string, options: ConnectionOptions, answer: Buffer): void {
    // Further bytes would be read as if they were encrypted, although an attacker in the network can add them.
    if (answer.toString("latin1") !== "S") {
      const isRefused = answer.toString("latin1") === "N";
      this.destroy(new ProtocolError(isRefused ? "The server does not support SSL" : "the server can't start TLS"));
      return;
    }
    // A server name must not be an address (RFC 6066 §3).
    const name = isIP(host) === 0 ? { servername: host } : {};
    try {
      const encrypted = connectTls({ ...options, ...name, socket, host });
      this.#attach(encrypted);
      encrypted.once("secureConnect", () => this.#open(encrypted));
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #open(socket: Socket): void {
    socket.on("data", (bytes: Buffer) => {
      try {
        this.#messages!.add(bytes);
      } catch (error) {
        this.destroy(error as Error);
        return;
      }
      if (!this.push(bytes)) socket.pause();
    });
    this.emit("connect");
  }

  /** Closes the connection if a listener of `data` throws. The caller of this function is a socket, which can't. */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== "data") return super.emit(event, ...values);
    try {
      return super.emit(event, ...values);
    } catch (error) {
      this.destroy(error as Error);
      return true;
    }
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _write(bytes: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket!.write(bytes, encoding, done);
  }

  /** Sends the messages of a query together. */
  override _writev(parts: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket!.write(Buffer.concat(parts.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket?.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket?.destroy();
    done(error);
  }

  setNoDelay(hasNoDelay: boolean): this {
    this.#hasNoDelay = hasNoDelay;
    this.#socket?.setNoDelay(hasNoDelay);
    return this;
  }

  setKeepAlive(isKeptAlive: boolean, initialDelayMs?: number): this {
    this.#socket?.setKeepAlive(isKeptAlive, initialDelayMs);
    return this;
  }

  ref(): this {
    this.#isReferenced = true;
    this.#socket?.ref();
    return this;
  }

  unref(): this {
    this.#isReferenced = false;
    this.#socket?.unref();
    return this;
  }
}
