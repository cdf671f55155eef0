/** Formats that speech can have. Source: the OpenAI API reference, "Create speech". */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

export type SpeechFormat = (typeof speechFormats)[number]

/** A text to speak. */
export interface SpeechJob {
  readonly kind: 'speech'
  /** English, as `readableText` gives it. */
  readonly text: string
  /** Any name; unknown ones get one of the voices by chance. */
  readonly voice: string
  /** 0.25 to 4. */
  readonly speed: number
  readonly format: SpeechFormat
}
