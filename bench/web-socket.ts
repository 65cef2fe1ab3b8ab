import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

/** A WebSocket that reads and writes text. */
export type Wire = { send(text: string): void; close(): void };
type Heard = { text(frame: string): void; closed(): void };

const CONTINUED = 0x80;
const TEXT = 1;
const MASKED = 0x80;

/**
 * Opens a WebSocket with a minimal client, for load tests with many sockets. It is minimal because the server shares this machine and needs
 * the CPU time. It expects the server to send only whole, unmasked text frames of less than 4 GB.
 */
export function openWire(url: string, path: string, heard: Heard): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const key = randomBytes(16).toString('base64');
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let isOpen = false;
    let pending: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      pending = pending.length > 0 ? Buffer.concat([pending, bytes]) : bytes;
      if (!isOpen) {
        const end = pending.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!pending.toString('latin1', 0, 12).endsWith('101')) return void socket.destroy();
        pending = pending.subarray(end + 4);
        isOpen = true;
        resolve({ send: (text) => void socket.write(frameOf(text)), close: () => socket.destroy() });
      }
      pending = readFrames(pending, heard.text);
    });
    socket.once('connect', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
          `sec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
      ),
    );
    socket.once('error', reject);
    socket.once('close', () => {
      if (isOpen) heard.closed();
      else reject(new Error('the server did not open a WebSocket'));
    });
  });
}

/** Calls the handler for every complete frame. Returns the remaining bytes. */
function readFrames(bytes: Buffer, text: (frame: string) => void): Buffer {
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = bytes[at + 1]! & 0x7f;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length - at < head) break;
    const length =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? bytes.readUInt32BE(at + 6) : short;
    if (bytes.length - at < head + length) break;
    if ((bytes[at]! & 0x0f) === TEXT) text(bytes.toString('latin1', at + head, at + head + length));
    at += head + length;
  }
  return at === 0 ? bytes : bytes.subarray(at);
}

/** Returns a frame with this text. Clients must mask their frames. A mask of zeros does not change the data. */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? Buffer.from([MASKED | body.length]) : Buffer.alloc(3);
  if (body.length >= 126) {
    length[0] = MASKED | 126;
    length.writeUInt16BE(body.length, 1);
  }
  return Buffer.concat([Buffer.from([CONTINUED | TEXT]), length, Buffer.alloc(4), body]);
}
