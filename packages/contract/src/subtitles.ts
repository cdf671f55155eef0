/** Subtitles from timed text: SubRip and WebVTT. */

/** One line of speech; times in seconds from the beginning. */
export interface Cue {
  readonly start: number
  readonly end: number
  readonly text: string
}

function timestamp(seconds: number, decimalMark: ',' | '.'): string {
  const total = Math.max(0, Math.round((Number.isFinite(seconds) ? seconds : 0) * 1_000))
  const part = (value: number, digits: number): string => String(value).padStart(digits, '0')
  const hours = part(Math.floor(total / 3_600_000), 2)
  const minutes = part(Math.floor(total / 60_000) % 60, 2)
  const wholeSeconds = part(Math.floor(total / 1_000) % 60, 2)
  return `${hours}:${minutes}:${wholeSeconds}${decimalMark}${part(total % 1_000, 3)}`
}

/** An empty line would end a cue, and an arrow would begin its times. */
function cueText(text: string): string {
  return text
    .replaceAll('-->', '->')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** SubRip: numbered cues, a comma before the milliseconds. */
export function renderSrt(cues: readonly Cue[]): string {
  return cues
    .map(({ start, end, text }, index) => {
      const times = `${timestamp(start, ',')} --> ${timestamp(end, ',')}`
      return `${index + 1}\n${times}\n${cueText(text)}\n\n`
    })
    .join('')
}

/** WebVTT. Source: W3C, "WebVTT: The Web Video Text Tracks Format", sections 4.1 and 4.2. */
export function renderVtt(cues: readonly Cue[]): string {
  const escaped = (text: string): string => cueText(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
  const body = cues.map(
    ({ start, end, text }) => `${timestamp(start, '.')} --> ${timestamp(end, '.')}\n${escaped(text)}\n\n`,
  )
  return `WEBVTT\n\n${body.join('')}`
}
