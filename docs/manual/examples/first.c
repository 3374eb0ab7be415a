/* Adds two vectors on the first CPU device that any platform has. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *source =
    "kernel void add(global const float *a, global const float *b, global float *sum)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    sum[i] = a[i] + b[i];\n"
    "}\n";

static void check(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, code);
        exit(1);
    }
}

static cl_device_id find_cpu(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    fprintf(stderr, "no platform has a CPU device\n");
    exit(1);
}

static cl_program build(cl_context context, cl_device_id device)
{
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        char log[16384] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        exit(1);
    }
    return program;
}

int main(void)
{
    enum { COUNT = 1 << 20 };
    float *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b), *sum = malloc(COUNT * sizeof *sum);
    if (!a || !b || !sum)
        return 1;
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)i;
    }

    cl_int code;
    cl_device_id device = find_cpu();
    char name[256];
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");

    /* CL_MEM_USE_HOST_PTR: a CPU device works in the application's own memory, nothing is copied. */
    size_t bytes = COUNT * sizeof *a;
    cl_mem first = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, a, &code);
    check(code, "clCreateBuffer");
    cl_mem second = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, b, &code);
    check(code, "clCreateBuffer");
    cl_mem result = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, sum, &code);
    check(code, "clCreateBuffer");

    cl_program program = build(context, device);
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    check(code, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof first, &first), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof second, &second), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof result, &result), "clSetKernelArg");

    size_t global = COUNT;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    /* Mapping waits for the kernel and makes what it wrote visible to the host. */
    float *seen = clEnqueueMapBuffer(queue, result, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &code);
    check(code, "clEnqueueMapBuffer");
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += seen[i] != 3.0f * (float)i;
    printf("%s: %d sums, %d wrong\n", name, COUNT, wrong);

    check(clEnqueueUnmapMemObject(queue, result, seen, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clFinish(queue), "clFinish");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseMemObject(result);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(a);
    free(b);
    free(sum);
    return wrong != 0;
}
