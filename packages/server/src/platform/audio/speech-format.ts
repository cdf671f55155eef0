/** Formats of spoken text, as the OpenAI audio API names them. */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

export type SpeechFormat = (typeof speechFormats)[number]

/** Samples of `pcm` and of the `wav` made from it, where the upstream does not say otherwise. Source: OpenAI's API. */
export const PCM_RATE = 24_000

/** The content type of each. Source: RFC 7845 (Ogg Opus) names `audio/ogg`; OpenAI's clients know `audio/opus`. */
const contentTypes: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: `audio/pcm;rate=${PCM_RATE};channels=1`,
}

/** Other names of the same formats that upstreams use. */
const formatOfType: Readonly<Record<string, SpeechFormat>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/opus': 'opus',
  'audio/ogg': 'opus',
  'audio/aac': 'aac',
  'audio/aacp': 'aac',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/pcm': 'pcm',
  'audio/l16': 'pcm',
}

/** The content type that a client gets for a format. */
export function speechContentType(format: SpeechFormat): string {
  return contentTypes[format]
}

/**
 * The content type for what an upstream has sent: that of the format that was asked for, unless the upstream names
 * another kind of audio.
 *
 * @param reported the upstream's content type; null where it names none, or one that says nothing.
 */
export function deliveredContentType(format: SpeechFormat, reported: string | null): string {
  const plain = reported?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!plain.startsWith('audio/')) return contentTypes[format]
  const isAsked = formatOfType[plain] === format
  // Raw samples are unreadable without their rate, so the upstream's own word is kept where it has one.
  if (isAsked) return format === 'pcm' && /rate=\d/i.test(reported ?? '') ? (reported ?? '') : contentTypes[format]
  return reported ?? contentTypes[format]
}

/** So much of a content type is looked at. Source: own choice. */
const CONTENT_TYPE_MAX = 256

/** Rate and channels of raw samples, as a content type states them. */
export function pcmParameters(contentType: string | null): { readonly rate: number; readonly channels: number } {
  const number = (name: string, otherwise: number): number => {
    const match = new RegExp(`;\\s*${name}\\s*=\\s*"?(\\d{1,6})`, 'i').exec(
      contentType?.slice(0, CONTENT_TYPE_MAX) ?? '',
    )
    return match === null ? otherwise : Number(match[1])
  }
  return { rate: number('rate', PCM_RATE), channels: number('channels', 1) }
}
