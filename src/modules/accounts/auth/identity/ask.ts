/**
 * Asks an identity provider: follows no redirect and reads `limit` bytes at most. The time-out is the caller's `signal`.
 * Throws when the provider does not answer, or says more than that.
 */
export async function ask(url: string, init: RequestInit, limit: number): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = answer;
  const bytes = await read(answer, limit);
  return new Response(bytes.length > 0 ? bytes : null, { status, headers });
}

async function read(answer: Response, limit: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > limit) throw new Error(`the answer has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
