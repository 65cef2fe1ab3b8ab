import { z } from 'zod';
import { count, setting } from './setting.ts';

export const files = {
  FILE_STORAGE: setting(
    z.enum(['disk', 's3']).default('disk'),
    'Where uploaded images are kept: in DATA_DIR/files, or in an S3 bucket.',
  ),
  FILES_URL: setting(
    z.url().optional(),
    'Where browsers find uploaded images: a CDN or the bucket. Default with `disk`: PUBLIC_API_URL/files.',
  ),
  S3_BUCKET: setting(z.string().min(1).optional(), 'Bucket for FILE_STORAGE=s3.'),
  S3_REGION: setting(z.string().min(1).default('us-east-1'), 'Region of the bucket.'),
  S3_ENDPOINT: setting(z.url().optional(), 'Endpoint of an S3-compatible service other than AWS.'),
  S3_ACCESS_KEY_ID: setting(z.string().min(1).optional(), 'Access key of the bucket.', true),
  S3_SECRET_ACCESS_KEY: setting(z.string().min(1).optional(), 'Secret of that access key.', true),
  UPLOAD_LIMIT_BYTES: setting(count(2 * 1024 * 1024), 'Largest image that is taken.'),
  UPLOAD_LIMIT_PIXELS: setting(count(16_000_000), 'Most pixels that an image may have.'),
};
