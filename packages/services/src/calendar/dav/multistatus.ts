import { SublError } from '@subluminal/core-types';
import { type Element, childOf, childrenOf, readXml } from './xml.js';

export const DAV = 'DAV:';
export const CALDAV = 'urn:ietf:params:xml:ns:caldav';

/** One resource as a server describes it. */
export interface Resource {
  readonly href: string;
  /** The properties that it has, without those that it lacks or refuses. */
  readonly props: readonly Element[];
}

const MAX_RESPONSES = 10_000;
const FINE = /^HTTP\/[0-9.]+ 2[0-9][0-9](?: |$)/;

/**
 * Reads a multistatus (https://www.rfc-editor.org/rfc/rfc4918#section-14.16). Resources with an error are
 * left out.
 *
 * @throws SublError `adapter_failed`.
 */
export async function readMultistatus(text: string): Promise<readonly Resource[]> {
  const root = await readXml(text);
  if (root.ns !== DAV || root.name !== 'multistatus')
    throw new SublError('adapter_failed', 'the calendar server answered with XML that is no multistatus');
  return childrenOf(root, DAV, 'response')
    .slice(0, MAX_RESPONSES)
    .flatMap((response) => {
      const href = childOf(response, DAV, 'href')?.text.trim() ?? '';
      const status = childOf(response, DAV, 'status');
      if (href === '' || (status !== undefined && !FINE.test(status.text.trim()))) return [];
      const props = childrenOf(response, DAV, 'propstat')
        .filter((propstat) => FINE.test(childOf(propstat, DAV, 'status')?.text.trim() ?? ''))
        .flatMap((propstat) => childOf(propstat, DAV, 'prop')?.children ?? []);
      return [{ href, props }];
    });
}

/** A property of a resource; undefined where it has none of that name. */
export function propOf(resource: Resource, ns: string, name: string): Element | undefined {
  return resource.props.find((prop) => prop.ns === ns && prop.name === name);
}

/** The href within a property. */
export function hrefIn(resource: Resource, ns: string, name: string): string | undefined {
  const prop = propOf(resource, ns, name);
  const href = prop === undefined ? undefined : childOf(prop, DAV, 'href')?.text.trim();
  return href === '' ? undefined : href;
}
