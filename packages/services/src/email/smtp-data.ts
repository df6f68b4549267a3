/**
 * A message as DATA carries it (https://www.rfc-editor.org/rfc/rfc5321#section-4.5.2), without the dot that
 * ends it. Every line ends in CRLF, so that no server can take a part of it for that end.
 */
export function mailData(message: Buffer): Buffer {
  // In latin1 every byte is one character, and comes back as it was.
  const text = message.toString('latin1').replaceAll(/\r\n?|\n/g, '\r\n');
  const whole = text === '' || text.endsWith('\r\n') ? text : `${text}\r\n`;
  return Buffer.from(whole.replaceAll(/(^|\n)\./g, '$1..'), 'latin1');
}
