import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** An email that the server has received. `head` contains its headers as they were sent. */
export type ReceivedMail = Email & { recipients: string[]; head: string };
/** Null accepts the recipient or the email. An error rejects it with the error's `responseCode`. */
type Verdict = Error | null;

/** Starts an SMTP server on a free port, without encryption and sign-in. */
export async function startSmtpServer({
  admit = () => null,
  receive,
}: {
  admit?: (address: string) => Verdict;
  receive: (mail: ReceivedMail) => Verdict | Promise<Verdict>;
}) {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) => done(admit(address)),
    async onData(stream, session, done) {
      const raw = await buffer(stream);
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      const head = raw.toString().split('\r\n\r\n')[0]!;
      done(await receive({ ...(await PostalMime.parse(raw)), recipients, head }));
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise<void>((done) => server.close(done)),
  };
}
