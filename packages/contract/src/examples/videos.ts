import type { videosEndpoints } from '../endpoints/videos.ts'
import { CREATED, type ExampleTable } from './example.ts'

const ID = 'vid_01a1b2c3d4e50123456789abcdef0123456789abcdef'
const BASE = 'https://gateway.example/api/v1/videos'
const FILE = `${BASE}/${ID}/content?index=0&expires=1795899690&signature=hT3kq0bq7yGzXW2c5pR8mJ9vL1nQ4sD6uF0aE7iO2wY`

const submitted = {
  id: ID,
  object: 'video',
  model: 'openrouter/google/veo-3.1-lite',
  status: 'queued',
  progress: 0,
  created_at: CREATED,
  completed_at: null,
  expires_at: null,
  prompt: null,
  seconds: '8',
  size: '1280x720',
  remixed_from_video_id: null,
  polling_url: `${BASE}/${ID}`,
  svc: { credits_estimate: 480, margin_bps: 2_000 },
}

const completed = {
  ...submitted,
  status: 'completed',
  progress: 100,
  completed_at: CREATED + 90,
  expires_at: CREATED + 86_490,
  unsigned_urls: [FILE],
  data: [{ url: FILE, content_type: 'video/mp4' }],
  usage: { cost: 0.48 },
  svc: { credits_estimate: 480, credits_charged: 480, margin_bps: 2_000 },
}

const body = { model: 'openrouter/google/veo-3.1-lite', prompt: 'A paper boat on a river at dawn.', duration: 8 }

export const videosExamples: ExampleTable<typeof videosEndpoints> = {
  listVideoModels: {
    reply: {
      object: 'list',
      data: [
        {
          id: 'openrouter/google/veo-3.1-lite',
          object: 'model',
          created: CREATED,
          owned_by: 'google',
          name: 'Google: Veo 3.1 Lite',
          description: null,
          credits_per_second: 60,
          pricing: [
            { unit: 'second', credits: 60, resolution: '720p', audio: true },
            { unit: 'second', credits: 36, resolution: '720p', audio: false },
          ],
          estimated: false,
          supported_durations: [4, 6, 8],
          supported_resolutions: ['720p', '1080p'],
          supported_aspect_ratios: ['16:9', '9:16'],
          supported_sizes: [],
          generate_audio: true,
          default_duration: 4,
          default_resolution: '720p',
        },
      ],
    },
  },
  createVideo: { body, reply: submitted },
  submitVideo: { body, reply: submitted },
  listVideos: { reply: { object: 'list', data: [completed], first_id: ID, last_id: ID, has_more: false } },
  getVideo: { reply: completed },
  deleteVideo: { reply: { id: ID, object: 'video.deleted', deleted: true } },
  getVideoContent: {},
}
