import { describe, expect, it } from 'vitest';
import { setupTokenUrl } from './setup-token.js';

describe('a setup token of SimpleFIN', () => {
  it('is the claim URL in base64, also on several lines and in the other alphabet', () => {
    // The example of the protocol.
    const token = 'aHR0cHM6Ly9iZXRhLWJyaWRnZS5zaW1wbGVmaW4ub3JnL3NpbXBsZWZpbi9jbGFpbS9ERU1PLXYyLTA=';
    const url = 'https://beta-bridge.simplefin.org/simplefin/claim/DEMO-v2-0';
    expect(setupTokenUrl(token)).toBe(url);
    expect(setupTokenUrl(`${token.slice(0, 40)}\r\n ${token.slice(40)}\n`)).toBe(url);
    expect(setupTokenUrl('aHR0cHM6Ly9hLnRlc3QvP34-Pj8')).toBe('https://a.test/?~>>?');
    expect(setupTokenUrl('aHR0cDovL2EudGVzdC9jbGFpbQ==')).toBe('http://a.test/claim');
  });

  it.each([
    ['an access URL', 'https://user:password@bridge.example.test/simplefin'],
    ['base64 of something else', 'bm90aGluZyBvZiBhIFVSTCBhdCBhbGw='],
    ['base64 of a URL with a line feed', 'aHR0cHM6Ly9hLnRlc3QvCkhvc3Q6IGI='],
    ['base64 of a broken length', 'aHR0cHM6Ly9hLnRlc3QvYWFhY'],
    ['nothing', ''],
    ['what is too long', 'aHR0'.repeat(2000)],
  ])('is not %s', (_, text) => expect(setupTokenUrl(text)).toBeUndefined());
});
