/** What the model of the scripted upstream is called by clients that can ask for any. */
export const PLAYED_MODEL = 'played-model'
