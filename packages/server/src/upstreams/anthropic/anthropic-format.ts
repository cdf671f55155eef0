/** What the reasoning of Anthropic's models is called in `reasoning_details`. Source: OpenRouter's API reference. */
export const ANTHROPIC_FORMAT = 'anthropic-claude-v1'
