import { choice, count, hidden, optionalText, optionalUrl, textOr } from './setting.ts';

export const files = {
  FILE_STORAGE: choice(['disk', 's3'], 'disk').describe(
    'Storage of uploaded images: DATA_DIR/files or an S3 bucket.',
  ),
  FILES_URL: optionalUrl.describe(
    'Public URL of uploaded images: a CDN or the bucket. Default with `disk`: PUBLIC_API_URL/files.',
  ),
  S3_BUCKET: optionalText().describe('Bucket for FILE_STORAGE=s3.'),
  S3_REGION: textOr('us-east-1').describe('Region of the bucket.'),
  S3_ENDPOINT: optionalUrl.describe('Endpoint of an S3-compatible service other than AWS.'),
  S3_ACCESS_KEY_ID: hidden(optionalText()).describe('Access key of the bucket.'),
  S3_SECRET_ACCESS_KEY: hidden(optionalText()).describe('Secret of that access key.'),
  UPLOAD_LIMIT_BYTES: count(2 * 1024 * 1024).describe('Maximum size of an uploaded image.'),
  UPLOAD_LIMIT_PIXELS: count(16_000_000).describe('Maximum number of pixels of an uploaded image.'),
};
