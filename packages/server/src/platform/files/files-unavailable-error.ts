/** Files cannot be kept where the configuration says; the message says what to do. */
export class FilesUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FilesUnavailableError'
  }
}
