const CHANNEL = 'subl';
/** A busy tab answers between its frames; without one the way in comes so much later. */
const MOST_MS = 1000;

/** Other tabs of this page, of this very origin: the browser lets no other name or port hear the channel. */
export interface Tabs {
  /** The token of an open tab; null if none answers in time. */
  ask(): Promise<string | null>;
  /** Answers tabs that ask, until it is stopped. */
  answer(token: string): () => void;
}

/** The tabs that share a channel of the browser. */
export function tabsOf(origin: string): Tabs {
  const open = (heard: (data: object, channel: BroadcastChannel) => void): BroadcastChannel => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', ({ data, origin: from }: MessageEvent<unknown>) => {
      if (from === origin && typeof data === 'object' && data !== null) heard(data, channel);
    });
    return channel;
  };
  return {
    ask: () =>
      new Promise((resolve) => {
        const end = (token: string | null): void => {
          channel.close();
          resolve(token);
        };
        const channel = open((data) => {
          if ('token' in data && typeof data.token === 'string') end(data.token);
        });
        setTimeout(end, MOST_MS, null);
        channel.postMessage({ t: 'ask' });
      }),
    answer(token) {
      const channel = open((data) => {
        if ('t' in data && data.t === 'ask') channel.postMessage({ token });
      });
      return () => channel.close();
    },
  };
}
