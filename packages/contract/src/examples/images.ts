import type { imagesEndpoints } from '../endpoints/images.ts'
import { CREATED, type ExampleTable } from './example.ts'

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const svc = { credits_charged: 48, margin_bps: 2_000 }
const usage = { input_tokens: 12, output_tokens: 4_160, total_tokens: 4_172, cost: 0.048 }
const reply = {
  created: CREATED,
  output_format: 'png',
  quality: 'medium',
  size: '1024x1024',
  data: [{ b64_json: image }],
  usage,
  svc,
}
const body = { model: 'svc-image', prompt: 'A lighthouse in the fog', n: 1, size: '1024x1024' }

function eventsOf(kind: 'image_generation' | 'image_edit') {
  return [
    { type: `${kind}.partial_image`, b64_json: image, created_at: CREATED, partial_image_index: 0 },
    { type: `${kind}.completed`, b64_json: image, created_at: CREATED, usage, svc },
  ]
}

export const imagesExamples: ExampleTable<typeof imagesEndpoints> = {
  listImageModels: {
    reply: {
      object: 'list',
      data: [
        {
          id: 'openrouter/x-ai/grok-imagine-image-2.0',
          object: 'model',
          created: 1_790_000_000,
          owned_by: 'x-ai',
          name: 'xAI: Grok Imagine Image 2.0',
          description: null,
          credits_per_image: 48,
          pricing: [
            { unit: 'image', credits: 48, quality: 'low', resolution: '1K' },
            { unit: 'image', credits: 72, quality: 'medium', resolution: '1K' },
            { unit: 'input_image', credits: 12 },
          ],
          supported_sizes: ['1K'],
          supported_qualities: ['low', 'medium'],
          supported_parameters: {},
          max_n: 10,
          max_input_images: 3,
          supports_streaming: null,
          supports_edits: true,
          estimated: false,
          margin_bps: 2_000,
        },
      ],
    },
  },
  createImage: { body, reply, events: eventsOf('image_generation') },
  editImage: {
    body: {
      model: 'svc-image',
      prompt: 'Put a boat in front of it',
      images: [{ image_url: `data:image/png;base64,${image}` }],
    },
    reply,
    events: eventsOf('image_edit'),
  },
  createImageByReference: {
    body,
    reply: {
      created: CREATED,
      data: [{ b64_json: image, media_type: 'image/png' }],
      usage: { prompt_tokens: 12, completion_tokens: 4_160, total_tokens: 4_172, cost: 0.048 },
      svc,
    },
    events: eventsOf('image_generation'),
  },
}
