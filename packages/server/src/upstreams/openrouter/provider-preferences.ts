/** Who may serve a request, in the member `provider`. Source: OpenRouter's API reference, "Provider preferences". */
export type ProviderPreferences = Readonly<Record<string, unknown>>

/** Leaves out providers that store what they are sent for longer than the request, or may train on it. */
export const NO_DATA_COLLECTION: ProviderPreferences = { data_collection: 'deny' }
