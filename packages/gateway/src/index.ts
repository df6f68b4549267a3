/** The complete public surface of @subluminal/gateway: named exports only. */
export {};
