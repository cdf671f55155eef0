import { styleText } from 'node:util'
import type { Output } from './output.ts'

type Format = Parameters<typeof styleText>[0]

/** Decorates text for an output; without colour it stays as it is. The result goes to `bytes`, not to `text`. */
export function styled(output: Pick<Output, 'hasColour'>, format: Format, text: string): string {
  return output.hasColour ? styleText(format, text, { validateStream: false }) : text
}
