// Cross entropy of ten classes with label smoothing: loss of each sample and gradient of the logits, which are held in
// a private array meanwhile.
//! kernel cross_entropy
//! global 100000
//! arg logits: buffer float 1000000 random -4 4
//! arg labels: buffer uchar 100000 random 0 9
//! arg loss: buffer float 100000 zero
//! arg grad: buffer float 1000000 zero
//! arg smooth: float 0.1

#define CLASSES 10

kernel void cross_entropy(global const float *logits, global const uchar *labels, global float *loss,
                          global float *grad, float smooth)
{
    int i = get_global_id(0);
    float p[CLASSES];
    float top = logits[i * CLASSES];
    for (int c = 0; c < CLASSES; c++) {
        p[c] = logits[i * CLASSES + c];
        top = max(top, p[c]);
    }
    float sum = 0.0f;
    for (int c = 0; c < CLASSES; c++)
        sum += exp(p[c] - top);
    float log_sum = log(sum) + top;

    float total = 0.0f;
    int label = labels[i];
    for (int c = 0; c < CLASSES; c++) {
        float want = smooth / CLASSES + (c == label ? 1.0f - smooth : 0.0f);
        float log_p = p[c] - log_sum;
        total -= want * log_p;
        grad[i * CLASSES + c] = exp(log_p) - want;
    }
    loss[i] = total;
}
