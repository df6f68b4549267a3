/** The complete public surface of @subluminal/services: named exports only. */
export { createAccountTestAdapter } from './account/test-adapter.js';
export { createApiCallAdapter } from './api-call/api-call-adapter.js';
export { calendarFetch } from './calendar/calendar-fetch.js';
export { calendarTester } from './calendar/calendar-tester.js';
export { calendarCreate, calendarUpdate } from './calendar/calendar-write.js';
export { emailDraft, emailFetch, emailSend, emailTester } from './email/adapter.js';
export { claimAdapter } from './finance/claim-adapter.js';
export { financeAdapter } from './finance/finance-adapter.js';
export { financeTester } from './finance/finance-tester.js';
export { healthAdapter } from './health/health-adapter.js';
export { healthTester } from './health/health-tester.js';
