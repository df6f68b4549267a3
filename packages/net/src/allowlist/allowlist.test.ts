import { describe, expect, it } from 'vitest';
import { parseDestination } from '@subluminal/egress';
import type { AllowInput } from './allowlist-entry.js';
import { Allowlist } from './allowlist.js';
import { memoryDb } from '../../testing/memory-db.js';

const NOW = Date.UTC(2030, 0, 2, 3, 4, 5);

function listOn(db = memoryDb()) {
  let id = 0;
  return new Allowlist(
    db,
    () => NOW,
    () => `id-${(id += 1)}`,
  );
}

function allows(list: Allowlist, endpoint: string): boolean {
  return list.find(parseDestination(endpoint)) !== undefined;
}

describe('the allowlist', () => {
  it('is empty at first, and then nothing is allowed', () => {
    const list = listOn();
    expect(list.listServices()).toEqual([]);
    expect(allows(list, 'https://api.example.com/')).toBe(false);
    expect(list.isAllowed('api.example.com', 443)).toBe(false);
  });

  it('Request to allowlisted domain passes', () => {
    const list = listOn();
    const entry = list.addService({ domain: 'api.example.com' });
    expect(list.find(parseDestination('https://api.example.com/v1'))).toEqual(entry);
    expect(list.isAllowed('api.example.com', 443)).toBe(true);
    expect(list.isAllowed('api.example.com')).toBe(true);
  });

  it('Request to non-allowlisted domain is rejected', () => {
    const list = listOn();
    list.addService({ domain: 'example.com' });
    for (const host of [
      'api.example.com',
      'example.com.evil.test',
      'evil-example.com',
      'example.co',
      'xample.com',
    ]) {
      expect(allows(list, `https://${host}/`)).toBe(false);
      expect(list.isAllowed(host, 443)).toBe(false);
    }
  });

  it.each(['*.google.com', '*', '*.com', 'api.*.com', 'goo*.com', '%2a.google.com', '＊.google.com'])(
    'Wildcard domains are not accepted: %s',
    (domain) => {
      const list = listOn();
      expect(() => list.addService({ domain })).toThrowError(
        expect.objectContaining({ code: 'invalid_domain' }),
      );
      expect(list.listServices()).toEqual([]);
    },
  );

  it('Deactivated service is treated as not-allowed', () => {
    const list = listOn();
    const { id } = list.addService({ domain: 'api.example.com' });
    list.deactivateService(id);
    expect(allows(list, 'https://api.example.com/')).toBe(false);
    expect(list.isAllowed('api.example.com', 443)).toBe(false);
    expect(list.listServices()).toMatchObject([{ id, is_active: false }]);
  });

  it('does not allow what was removed', () => {
    const list = listOn();
    const { id } = list.addService({ domain: 'api.example.com' });
    list.removeService(id);
    expect(allows(list, 'https://api.example.com/')).toBe(false);
    expect(list.listServices()).toEqual([]);
  });

  it.each(['API.Example.COM', 'api.example.com.', 'API.EXAMPLE.COM.', 'api。example.com'])(
    'takes %s for api.example.com',
    (domain) => {
      const list = listOn();
      expect(list.addService({ domain }).domain).toBe('api.example.com');
      expect(allows(list, 'https://api.example.com/')).toBe(true);
      expect(list.isAllowed(domain, 443)).toBe(true);
    },
  );

  it('keeps names that look alike apart', () => {
    const list = listOn();
    expect(list.addService({ domain: 'bücher.example' }).domain).toBe('xn--bcher-kva.example');
    list.addService({ domain: 'apple.example' });
    expect(allows(list, 'https://xn--bcher-kva.example/')).toBe(true);
    expect(allows(list, 'https://bucher.example/')).toBe(false);
    expect(allows(list, 'https://аpple.example/')).toBe(false);
  });

  it.each<[AllowInput, string, boolean]>([
    [{ domain: 'a.test' }, 'http://a.test:8080/', true],
    [{ domain: 'a.test', port: 443 }, 'https://a.test/', true],
    [{ domain: 'a.test', port: 443 }, 'http://a.test:443/', true],
    [{ domain: 'a.test', port: 443 }, 'https://a.test:8443/', false],
    [{ domain: 'a.test', protocol: 'https' }, 'https://a.test:8443/', true],
    [{ domain: 'a.test', protocol: 'https' }, 'http://a.test/', false],
    [{ domain: 'a.test', protocol: 'imap' }, 'https://a.test/', false],
    [{ domain: 'a.test', port: 443, protocol: 'https' }, 'https://a.test/', true],
    [{ domain: 'a.test', port: 443, protocol: 'https' }, 'http://a.test/', false],
  ])('with %j, %s is allowed: %s', (input, endpoint, allowed) => {
    const list = listOn();
    list.addService(input);
    expect(allows(list, endpoint)).toBe(allowed);
  });

  it('does not take an entry for one port as an entry for a host', () => {
    const list = listOn();
    list.addService({ domain: 'a.test', port: 443 });
    expect(list.isAllowed('a.test', 443)).toBe(true);
    expect(list.isAllowed('a.test', 80)).toBe(false);
    expect(list.isAllowed('a.test')).toBe(false);
  });

  it('lets the entry that names most decide, so that a narrow one keeps its own terms', () => {
    const list = listOn();
    list.addService({ domain: 'a.test', allow_private: true });
    list.addService({ domain: 'a.test', protocol: 'https' });
    list.addService({ domain: 'a.test', port: 8443, protocol: 'https', allow_private: true });
    expect(list.find({ host: 'a.test', port: 443, protocol: 'https' })?.allow_private).toBe(false);
    expect(list.find({ host: 'a.test', port: 8443, protocol: 'https' })?.allow_private).toBe(true);
    expect(list.find({ host: 'a.test', port: 80, protocol: 'http' })?.allow_private).toBe(true);
  });

  it('replaces an entry for the same host, port and protocol, active or not', () => {
    const list = listOn();
    const first = list.addService({ domain: 'a.test', allow_private: true });
    list.deactivateService(first.id);
    const second = list.addService({ domain: 'A.test' });
    expect(list.listServices()).toEqual([second]);
    expect(second).toMatchObject({ is_active: true, allow_private: false });
  });

  it('raises its generation with every change', () => {
    const list = listOn();
    const seen = [list.generation];
    const { id } = list.addService({ domain: 'a.test' });
    seen.push(list.generation);
    list.deactivateService(id);
    seen.push(list.generation);
    list.removeService(id);
    seen.push(list.generation);
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
    expect(seen).toHaveLength(4);
  });

  it('says not_found for an id that it does not know', () => {
    const list = listOn();
    expect(() => list.removeService('x')).toThrowError(expect.objectContaining({ code: 'not_found' }));
    expect(() => list.deactivateService('x')).toThrowError(expect.objectContaining({ code: 'not_found' }));
  });

  it('keeps its entries', () => {
    const db = memoryDb();
    const first = listOn(db);
    first.addService({ domain: 'imap.example.com', port: 993, protocol: 'imap', service_name: 'mail' });
    first.addService({ domain: 'api.example.com', added_by: 'setup_wizard' });
    const common = { added_at: '2030-01-02T03:04:05.000Z', is_active: 1, allow_private: 0 };
    expect(db.prepare('SELECT * FROM allowed_services ORDER BY id').all()).toEqual([
      {
        ...common,
        id: 'id-1',
        service_name: 'mail',
        domain: 'imap.example.com',
        port: 993,
        protocol: 'imap',
        added_by: 'user',
      },
      {
        ...common,
        id: 'id-2',
        service_name: 'api.example.com',
        domain: 'api.example.com',
        port: null,
        protocol: 'any',
        added_by: 'setup_wizard',
      },
    ]);
    const second = listOn(db);
    expect(second.listServices()).toEqual(first.listServices());
    expect(allows(second, 'https://api.example.com/')).toBe(true);
  });
});

describe('an address as an entry', () => {
  it('is for itself alone, however a request spells it', () => {
    const list = listOn();
    list.addService({ domain: '127.0.0.1', allow_private: true });
    expect(allows(list, 'http://127.0.0.1/')).toBe(true);
    expect(allows(list, 'http://0x7f.1/')).toBe(true);
    expect(allows(list, 'http://[::ffff:127.0.0.1]/')).toBe(false);
    expect(allows(list, 'http://127.0.0.2/')).toBe(false);
    expect(allows(list, 'http://localhost/')).toBe(false);
  });

  it.each(['[::1]', '::1'])('can be written %s', (domain) => {
    const list = listOn();
    expect(list.addService({ domain, allow_private: true }).domain).toBe('::1');
    expect(allows(list, 'http://[::1]/')).toBe(true);
  });

  it.each(['0x7f.1', '2130706433', '127.1', '0177.0.0.1', '127.0.0.1.', '[0:0:0:0:0:0:0:1]'])(
    'is refused in the spelling %s',
    (domain) => {
      expect(() => listOn().addService({ domain, allow_private: true })).toThrowError(
        expect.objectContaining({ code: 'invalid_domain' }),
      );
    },
  );

  it('is refused without allow_private if it could not be dialled, and with it if nothing lifts that', () => {
    const list = listOn();
    expect(() => list.addService({ domain: '169.254.169.254' })).toThrowError(
      expect.objectContaining({
        code: 'address_refused',
        details: { address: '169.254.169.254', verdict: 'cloud_metadata' },
      }),
    );
    expect(() => list.addService({ domain: '0.0.0.0', allow_private: true })).toThrowError(
      expect.objectContaining({ code: 'address_refused' }),
    );
    expect(list.addService({ domain: '93.184.216.34' }).domain).toBe('93.184.216.34');
  });
});

describe('an entry with a mistake', () => {
  it.each<[AllowInput, string]>([
    [{ domain: '' }, 'invalid_domain'],
    [{ domain: 'a..test' }, 'invalid_domain'],
    [{ domain: 'https://a.test' }, 'invalid_domain'],
    [{ domain: 'a.test:443' }, 'invalid_domain'],
    [{ domain: 'a.test/path' }, 'invalid_domain'],
    [{ domain: 'user@a.test' }, 'invalid_domain'],
    [{ domain: 'a.test', port: 0 }, 'invalid_request'],
    [{ domain: 'a.test', port: 65_536 }, 'invalid_request'],
    [{ domain: 'a.test', port: 1.5 }, 'invalid_request'],
    [{ domain: 'a.test', protocol: 'any' }, 'invalid_request'],
    [{ domain: 'a.test', protocol: 'HTTPS' }, 'invalid_request'],
    [{ domain: 'a.test', protocol: '' }, 'invalid_request'],
  ])('is refused: %j (%s)', (input, code) => {
    const list = listOn();
    expect(() => list.addService(input)).toThrowError(expect.objectContaining({ code }));
    expect(list.listServices()).toEqual([]);
  });
});
