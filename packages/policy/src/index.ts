/** The complete public surface of @subluminal/policy: named exports only. */
export {};
