import type { AccountAction } from '../account/account-adapter.js';
import { basicAuthorization } from '../account/conversation.js';

/** How an account of a calendar is reached, the same for every action. */
export const calendarAccount = {
  kind: 'calendar',
  addressOf: ({ url }) => url,
  credentials: ({ settings }, secret) => ({ authorization: basicAuthorization(settings.user, secret) }),
} as const satisfies Pick<AccountAction<'calendar', never>, 'kind' | 'addressOf' | 'credentials'>;
