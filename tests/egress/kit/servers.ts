import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { after } from '../../gateway/cleanups.js';
import { Authority } from '../../mail/kit/authority.js';
import { Dovecot } from '../../mail/kit/dovecot.js';
import { SmtpServer } from '../../mail/kit/smtp-server.js';
import { fhir } from '../../records/kit/fhir.js';
import { basic, newAuthority, sendJson, serve } from '../../records/kit/https.js';
import { PASSWORD as CALENDAR_PASSWORD, radicale, USER } from '../../records/kit/radicale.js';
import { setupToken, simplefin } from '../../records/kit/simplefin.js';

export const MAIL_PASSWORD = 'word-4711-of-the-mail';

/** Every server that an account can be of, on loopback, with its port. */
export async function servers() {
  const own = newAuthority();
  const mail = new Authority();
  after(() => mail.remove());
  const dovecot = new Dovecot();
  const smtp = new SmtpServer(mail, MAIL_PASSWORD);
  after(() => dovecot.stop());
  after(() => smtp.close());
  const [, smtpPort, calendar, bank, health, api, far] = await Promise.all([
    dovecot.start(mail, MAIL_PASSWORD),
    smtp.listen(),
    radicale(own),
    simplefin(own),
    fhir(own),
    serve(own, (_, response) => void response.end('hello')),
    serve(own, ({ body }, response) => sendJson(response, answerTo(body))),
  ]);
  await makeCalendar(own.caFile, calendar.port);
  return {
    certificates: `${readFileSync(own.caFile, 'utf8')}${mail.text('ca.pem')}`,
    caFile: own.caFile,
    setupToken: setupToken(bank.port, 'one'),
    ports: {
      imap: dovecot.imaps,
      smtp: smtpPort,
      calendar: calendar.port,
      bank: bank.port,
      health: health.port,
      api: api.port,
      far: far.port,
    },
    taken: smtp.taken,
  };
}

/** An MCP server over HTTP: the least of one. */
function answerTo(body: string): unknown {
  const { id } = JSON.parse(body) as { id: number };
  return { jsonrpc: '2.0', id, result: { tools: [{ name: 'far', inputSchema: { type: 'object' } }] } };
}

function makeCalendar(caFile: string, port: number): Promise<void> {
  const path = `/${encodeURIComponent(USER)}/main/`;
  const headers = { authorization: basic(USER, CALENDAR_PASSWORD) };
  const to = { host: '127.0.0.1', port, method: 'MKCALENDAR', path, headers };
  return new Promise((resolve, reject) => {
    request({ ...to, servername: 'cal.test', ca: readFileSync(caFile) }, (response) => {
      response.resume().once('end', resolve);
    })
      .once('error', reject)
      .end();
  });
}
