import { z } from 'zod'

/** Types of the files that the gateway keeps and serves, and how their names end. */
export const mediaExtensions = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/opus': 'opus',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
  'audio/pcm': 'pcm',
} as const

export type MediaType = keyof typeof mediaExtensions

/** All of them, without parameters. */
export const mediaTypes = Object.keys(mediaExtensions) as [MediaType, ...MediaType[]]

export const mediaPath = z.object({ name: z.string().min(1).max(100).describe('Name of the file.') })

export const mediaQuery = z.object({
  expires: z.coerce.number().describe('When the address ends, in seconds since 1970.'),
  signature: z.string().describe('What the gateway made for this address.'),
})
