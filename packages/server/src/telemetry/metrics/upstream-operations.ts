interface Operation {
  /** The name of its span by OpenTelemetry's conventions; null for a call without one. Source: opentelemetry.io, semantic conventions, generative client AI spans. */
  readonly span: string | null
  /** What `GET /health` counts it for; null for a call that says nothing of how an upstream fares. */
  readonly health: 'text' | 'image' | 'video' | 'audio' | null
}

/** What is asked of upstreams, and where each call is seen. */
export const upstreamOperations = {
  complete: { span: 'chat', health: 'text' },
  stream: { span: 'chat', health: 'text' },
  embed: { span: 'embeddings', health: 'text' },
  rerank: { span: 'rerank', health: 'text' },
  moderate: { span: 'moderation', health: 'text' },
  create_images: { span: 'generate_content', health: 'image' },
  speak: { span: 'speech', health: 'audio' },
  transcribe: { span: 'transcription', health: 'audio' },
  find_cost: { span: null, health: null },
  list_models: { span: null, health: 'text' },
  video_submit: { span: null, health: 'video' },
  video_report: { span: null, health: 'video' },
  video_cancel: { span: null, health: null },
  video_open: { span: null, health: null },
} as const satisfies Readonly<Record<string, Operation>>

export type UpstreamOperation = keyof typeof upstreamOperations
