import { countText } from './count-text.ts'

/** What a field for a limit takes: a whole number, with or without what people set between thousands. */
export const LIMIT_PATTERN = "[0-9 ',]*"

/** The number that was typed; null where nothing was. */
export function limitOf(text: string): number | null {
  const digits = text.replaceAll(/[\s',]/g, '')
  return digits === '' ? null : Number(digits)
}

/** A limit as people say it, such as `600 requests a minute`. */
export const rateText = (perMinute: number): string => `${countText(perMinute, 'request')} a minute`
