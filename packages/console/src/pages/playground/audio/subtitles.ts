/** What was said and when, as files of subtitles. Pure. */

/** Seconds. */
export interface Cue {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A line of subtitles has about so many characters. Source: own choice, near the broadcasters' rules. */
const LINE_CHARACTERS = 42

/** Words as lines, where the model gives no larger pieces. */
export function cuesOfWords(words: readonly Cue[]): readonly Cue[] {
  const cues: Cue[] = []
  for (const word of words) {
    const last = cues.at(-1)
    const joined = last === undefined ? '' : `${last.text} ${word.text}`
    if (last === undefined || joined.length > LINE_CHARACTERS) cues.push(word)
    else cues[cues.length - 1] = { start: last.start, end: word.end, text: joined }
  }
  return cues
}

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.max(0, Math.round(seconds * 1_000))
  const part = (value: number, length = 2): string => String(value).padStart(length, '0')
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60]
  return `${part(hours)}:${part(minutes)}:${part(Math.floor(ms / 1_000) % 60)}${point}${part(ms % 1_000, 3)}`
}

/** Nothing that was said may begin another cue. */
const line = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').replaceAll('-->', '→')

export function srtOf(cues: readonly Cue[]): string {
  return cues
    .map(({ start, end, text }, at) => `${at + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${line(text)}\n`)
    .join('\n')
}

export function vttOf(cues: readonly Cue[]): string {
  const body = cues.map(({ start, end, text }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${line(text)}\n`)
  return ['WEBVTT\n', ...body].join('\n')
}

/** The word that is heard at this time; -1 between words. */
export function wordAt(words: readonly Cue[], seconds: number): number {
  return words.findIndex(({ start, end }) => start <= seconds && seconds < end)
}
