/** What the reasoning of Google's models is called in `reasoning_details`. Source: OpenRouter's API reference. */
export const GEMINI_FORMAT = 'google-gemini-v1'
