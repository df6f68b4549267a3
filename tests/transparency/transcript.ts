/** What went over a transport, in a form in which two sessions can be compared. */
export type Line = readonly ['client' | 'server', unknown];

interface TransportLike {
  send(message: never, ...rest: never[]): Promise<void>;
  onmessage?: ((message: never, ...rest: never[]) => void) | undefined;
}

/** Records every message of `transport`, which must not be connected yet. */
export function record(transport: TransportLike): Line[] {
  const lines: Line[] = [];
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    lines.push(['client', structuredClone(message)]);
    return send(message, ...rest);
  };
  let handler: TransportLike['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => handler,
    set: (next: TransportLike['onmessage']) => {
      handler =
        next &&
        ((message, ...rest) => {
          lines.push(['server', structuredClone(message)]);
          next(message, ...rest);
        });
    },
  });
  return lines;
}

/**
 * Notifications may come before or after what they accompany, and some servers send them by timer: they are
 * compared as a set, everything else in order. Times, random ids and our own environment marks are blanked.
 */
export function comparable(lines: readonly Line[]): { messages: string[]; notifications: string[] } {
  const messages: string[] = [];
  const notifications = new Set<string>();
  for (const [from, message] of lines) {
    const text = `${from} ${JSON.stringify(message)}`
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/\d\d?:\d\d:\d\d( [AP]M)?/g, '<clock>');
    const method = (message as { method?: unknown; id?: unknown }).method;
    if (typeof method === 'string' && !('id' in (message as object))) {
      // simulated log lines pick level and text by chance
      notifications.add(method === 'notifications/message' ? `${from} ${method}` : text);
    } else messages.push(text);
  }
  return { messages, notifications: [...notifications].toSorted() };
}
