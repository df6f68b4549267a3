import { basicAuthorization } from '../account/conversation.js';
import type { HttpsAccount } from '../account/https-account.js';

/** The way to a calendar account, the same for every action. */
export const calendarAccount = {
  kind: 'calendar',
  addressOf: ({ url }) => url,
  credentials: ({ settings }, secret) => ({ authorization: basicAuthorization(settings.user, secret) }),
} as const satisfies HttpsAccount<'calendar'>;
