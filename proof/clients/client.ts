/** What a client of the matrix is: which packages, which program asks with it, and where that runs. */

/** A column of the matrix. */
export const features = [
  { name: 'chat', title: 'chat' },
  { name: 'stream', title: 'stream' },
  { name: 'tools', title: 'tools' },
  { name: 'schema', title: 'JSON schema' },
  { name: 'images_in', title: 'images in' },
  { name: 'responses', title: 'Responses' },
  { name: 'messages', title: 'Messages' },
  { name: 'completions', title: 'text completion' },
  { name: 'embeddings', title: 'embeddings' },
  { name: 'images', title: 'images' },
  { name: 'speech', title: 'speech' },
  { name: 'transcription', title: 'transcription' },
  { name: 'rerank', title: 'rerank' },
  { name: 'moderations', title: 'moderations' },
  { name: 'batches', title: 'files, batches' },
  { name: 'models', title: 'model list' },
  { name: 'error', title: 'error' },
  { name: 'credits', title: '402' },
  { name: 'edits', title: 'edits a file' },
] as const

export type FeatureName = (typeof features)[number]['name']

/** How the packages of a language are fetched and its programs started. */
export type Language = 'python' | 'node' | 'go' | 'rust' | 'java'

interface Named {
  readonly name: string
  readonly language: Language
  /** Exact versions, as the language's own tool takes them; the first names the client in the matrix. */
  readonly packages: readonly [string, ...string[]]
}

/** A library: a program of ours in `scripts` asks with it, and prints what came of each feature. */
export interface LibraryClient extends Named {
  readonly kind: 'library'
  /** In `scripts`. */
  readonly script: string
}

/** A call of a tool that the scripted model plays: the first name that the agent offers. */
export interface PlayedCall {
  readonly tools: readonly string[]
  readonly input: (file: string) => object
}

export interface AgentPlace {
  /** Ends in `/api`. */
  readonly baseUrl: string
  readonly key: string
  readonly home: string
  /** The folder with the file that is to be edited. */
  readonly work: string
}

export interface AgentStart {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Files of the home folder, by their paths in it. */
  readonly files?: Readonly<Record<string, string>>
}

/** A coding agent: it edits a file in a temporary folder through a whole loop with a scripted model. */
export interface AgentClient extends Named {
  readonly kind: 'agent'
  /** Which form its requests have. */
  readonly form: FeatureName
  /** The program in the folder of its packages. */
  readonly command: string
  readonly start: (place: AgentPlace) => AgentStart
  /** What the model calls, one after the other; then it says that it is done. */
  readonly calls: readonly PlayedCall[]
  /** What the model says where it calls nothing: an edit, for agents without tools. */
  readonly says?: string
}

export type Client = LibraryClient | AgentClient

/** What came of one feature; a feature that is not named is not one of the client. */
export interface FeatureResult {
  readonly feature: FeatureName
  readonly passed: boolean
  /** Of a failure. */
  readonly why?: string
}

export interface ClientResult {
  readonly client: Client
  /** Why nothing could be asked; null where it was. */
  readonly missing: string | null
  readonly results: readonly FeatureResult[]
}
