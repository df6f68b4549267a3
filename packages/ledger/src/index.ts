/** The complete public surface of @subluminal/ledger: named exports only. */
export {};
