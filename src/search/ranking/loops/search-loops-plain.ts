// @ts-nocheck: Made of search-loops.as by `npm run build:loops`.
export function createPlainLoops(): object {var I;function x(H,m,M){if(H=H>>>0,M=M>>>0,H+M>I.length)throw"tra\
p: invalid memory.fill";I.fill(m,H,H+M)}function q(H){var m=new ArrayBuffer(0),M=new Int8Array(m),O=new Int16Array(
m),r=new Int32Array(m),v=new Uint8Array(m),L=new Uint16Array(m),C=new Uint32Array(m),D=new Float32Array(
m),k=new Float64Array(m),g=Math.imul,T=Math.fround,B=Math.abs,_=Math.clz32,$=Math.min,r0=Math.max,e0=Math.
floor,i0=Math.ceil,n0=Math.trunc,a0=Math.sqrt,P=0;function N(e,l){e=e|0,l=l|0;var t=0,i=0,o=0,n=0;r:
for(;;){if(o>>>0<r[(e+20|0)>>2]>>>0){t=r[(r[(e+4|0)>>2]+(o<<2|0)|0)>>2],(v[(t+r[l>>2]|0)>>0]|0)==1?(M[(r[e>>
2]+t|0)>>0]=0,k[(r[(e+8|0)>>2]+(t<<3|0)|0)>>3]=0,i=r[(e+16|0)>>2],x(r[(e+12|0)>>2]+(g(i,t)<<2|0)|0,0,
i<<2|0)):(i=n,n=i+1|0,r[(r[(e+4|0)>>2]+(i<<2|0)|0)>>2]=t),o=o+1|0;continue r}break r}r[(e+20|0)>>2]=
n}function V(e,l,t,i,o,n,f,a,c,u,b,A,E){e=e|0,l=l|0,t=t|0,i=i|0,o=o|0,n=n|0,f=+f,a=+a,c=+c,u=+u,b=+b,
A=A|0,E=E|0;var h=0,w=0,y=0,s=0,U=0;r:for(;;){if(s>>>0<(o<<2|0)>>>0){y=+(r[(t+s|0)>>2]>>>0),y=f*(c+y*
(a+1)/(y+u+b*+(r[(i+s|0)>>2]>>>0))),h=n+r[(l+s|0)>>2]|0,U=r[(e+8|0)>>2]+(h<<3|0)|0,w=r[e>>2]+h|0,(v[w>>
0]|0)==1?w=0:(M[w>>0]=1,r[(r[(e+4|0)>>2]+(r[(e+20|0)>>2]<<2|0)|0)>>2]=h,r[(e+20|0)>>2]=r[(e+20|0)>>2]+
1|0,w=1),w||(y=k[U>>3]+y),k[U>>3]=y,w=r[(e+12|0)>>2]+((g(h,r[(e+16|0)>>2])+(A>>>5|0)|0)<<2|0)|0,r[w>>
2]=r[w>>2]|(1<<A|0)|0,h=r[(e+12|0)>>2]+((g(h,r[(e+16|0)>>2])+(E>>>5|0)|0)<<2|0)|0,r[h>>2]=r[h>>2]|(1<<
E|0)|0,s=s+4|0;continue r}break r}}function d(e,l,t){e=e|0,l=l|0,t=t|0;var i=0,o=0,n=0,f=0,a=0,c=0,u=0,
b=0;r:for(;;){if(a>>>0<r[(e+20|0)>>2]>>>0){i=r[(r[(e+4|0)>>2]+(a<<2|0)|0)>>2],u=r[(e+8|0)>>2]+(i<<3|
0)|0,b=r[(e+12|0)>>2]+(g(i,r[(e+16|0)>>2])<<2|0)|0,c=0,i=l;e:for(;;){if(t>>>0>i>>>0){o=i&31|0,n=32-o|
0,f=t-i|0,n=n>>>0<f>>>0?n:f,o=r[(b+((i>>>5|0)<<2|0)|0)>>2]>>>o|0,n>>>0<32&&(o=o&((1<<n|0)-1|0)|0),f=
0;i:for(;;){if(o){o=o&(o-1|0)|0,f=f+1|0;continue i}break i}c=f+c|0,i=i+n|0;continue e}break e}k[u>>3]=
k[u>>3]*+(c>>>0),a=a+1|0;continue r}break r}}function z(e,l,t,i,o){e=e|0,l=l|0,t=t|0,i=i|0,o=o|0;var n=0,
f=0,a=0,c=0,u=0;r:for(;;){if(l>>>0>a>>>0){u=r[(e+(a<<2|0)|0)>>2],n=u&(t^-1|0)|0,f=0;e:for(;;){if(n){
n=n&(n-1|0)|0,f=f+1|0;continue e}break e}if(i>>>0<f>>>0)n=1;else{n=t&(u^-1|0)|0,f=0;e:for(;;){if(n){
n=n&(n-1|0)|0,f=f+1|0;continue e}break e}n=i>>>0<f>>>0}n||(r[(o+(c<<2|0)|0)>>2]=a,c=c+1|0),a=a+1|0;continue r}
break r}return c|0}function G(e,l){e=e|0,l=l|0;var t=0,i=0,o=0,n=0,f=0,a=0;r:for(;;){if(n>>>0<r[(e+20|
0)>>2]>>>0){o=r[(r[(e+4|0)>>2]+(n<<2|0)|0)>>2];e:{if(!v[(o+r[l>>2]|0)>>0]){M[(r[e>>2]+o|0)>>0]=0,k[(r[(e+
8|0)>>2]+(o<<3|0)|0)>>3]=0,t=r[(e+16|0)>>2],x(r[(e+12|0)>>2]+(g(t,o)<<2|0)|0,0,t<<2|0);break e}t=f,f=
t+1|0,r[(r[(e+4|0)>>2]+(t<<2|0)|0)>>2]=o,t=o<<3|0,i=t+r[(e+8|0)>>2]|0,k[i>>3]=k[i>>3]+k[(r[(l+8|0)>>
2]+t|0)>>3],t=0;i:for(;;){if(i=r[(e+16|0)>>2],i>>>0>t>>>0){i=(g(o,i)+t|0)<<2|0,a=i+r[(e+12|0)>>2]|0,
r[a>>2]=r[a>>2]|r[(r[(l+12|0)>>2]+i|0)>>2]|0,t=t+1|0;continue i}break i}}n=n+1|0;continue r}break r}
r[(e+20|0)>>2]=f}function J(e,l,t,i,o){e=e|0,l=l|0,t=t|0,i=i|0,o=o|0;var n=0,f=0,a=0;r:for(;;){if(l>>>
0>a>>>0){f=a<<2|0,n=t+(r[(f+e|0)>>2]<<i|0)|0,f=o+f|0,i?n=(i|0)==1?L[n>>1]:r[n>>2]:n=v[n>>0],r[f>>2]=
n,a=a+1|0;continue r}break r}}function K(e,l,t,i,o,n,f){e=e|0,l=l|0,t=t|0,i=i|0,o=o|0,n=n|0,f=f|0;var a=0,
c=0,u=0,b=0,A=0;P=e,e=-1;r:for(;;){if(t>>>0>A>>>0){if(a=P,P=a+1|0,a=v[a>>0],a>>>0>=128){a=a&127|0,c=
7;e:for(;;){if(u=P,P=u+1|0,u=v[u>>0],a=a|((u&127|0)<<c|0)|0,c=c+7|0,c>>>0<35&u>>>0>=128|0)continue e;
break e}}if(e=e+((a>>>1|0)+1|0)|0,a&1|0){if(a=P,P=a+1|0,a=v[a>>0],a>>>0>=128){a=a&127|0,c=7;e:for(;;){
if(u=P,P=u+1|0,u=v[u>>0],a=a|((u&127|0)<<c|0)|0,c=c+7|0,c>>>0<35&u>>>0>=128|0)continue e;break e}}a=
a+2|0}else a=1;if(P>>>0>l>>>0|e>>>0>=i>>>0|0)return-1;o&&(v[(e+o|0)>>0]|0)==1||(c=b<<2|0,r[(c+n|0)>>
2]=e,r[(f+c|0)>>2]=a,b=b+1|0),A=A+1|0;continue r}break r}return((P|0)!=(l|0)?-1:b)|0}function Q(e,l,t,i,o){
e=e|0,l=l|0,t=t|0,i=i|0,o=o|0;var n=0,f=0,a=0,c=0,u=0,b=0,A=0;r:for(;;){if(i>>>0>u>>>0){A=e+(g(l,u)<<
2|0)|0,b=0,f=0;e:for(;;){if(t>>>0>f>>>0){n=f&31|0,a=32-n|0,c=t-f|0,a=a>>>0<c>>>0?a:c,n=r[(A+((f>>>5|
0)<<2|0)|0)>>2]>>>n|0,a>>>0<32&&(n=n&((1<<a|0)-1|0)|0),c=0;i:for(;;){if(n){n=n&(n-1|0)|0,c=c+1|0;continue i}
break i}b=c+b|0,f=f+a|0;continue e}break e}r[(o+(u<<2|0)|0)>>2]=b,u=u+1|0;continue r}break r}}function R(e,l,t,i,o,n,f){
e=e|0,l=l|0,t=t|0,i=i|0,o=o|0,n=n|0,f=f|0;var a=0,c=0,u=0,b=0;r:for(;;){if(l>>>0>u>>>0){a=r[(e+(u<<2|
0)|0)>>2];e:{if(!(!i||v[(i+a|0)>>0])||(a=t?r[(t+(a<<2|0)|0)>>2]:a,(v[(a+n|0)>>0]|0)==1?c=1:c=(v[(o+a|
0)>>0]|0)==1,c))break e;M[(n+a|0)>>0]=1,c=b,b=b+1|0,r[(f+(c<<2|0)|0)>>2]=a}u=u+1|0;continue r}break r}
return b|0}function W(e,l,t,i,o,n,f,a,c,u,b,A,E){e=e|0,l=l|0,t=t|0,i=i|0,o=o|0,n=n|0,f=f|0,a=a|0,c=c|
0,u=u|0,b=b|0,A=A|0,E=E|0;var h=0,w=0,y=0,s=0,U=0,F=0,p=0,S=0,j=0;r:for(;;){if(l>>>0>p>>>0){h=r[(e+(p<<
2|0)|0)>>2];e:{if(!(!a||v[(h+a|0)>>0])||(F=f?r[(f+(h<<2|0)|0)>>2]:h,(v[(F+c|0)>>0]|0)==1))break e;M[(u+
h|0)>>0]=1,S=k[(t+(h<<3|0)|0)>>3],w=b+(F<<3|0)|0,S>k[w>>3]&&(k[w>>3]=S),j=i+(g(o,h)<<2|0)|0,h=A+(g(o,
F)<<2|0)|0,w=0;i:for(;;){if(w>>>0<(o<<2|0)>>>0){y=h+w|0,r[y>>2]=r[y>>2]|r[(w+j|0)>>2]|0,w=w+4|0;continue i}
break i}y=0,w=0;i:for(;;){if(n>>>0>w>>>0){h=w&31|0,s=32-h|0,U=n-w|0,s=s>>>0<U>>>0?s:U,h=r[(j+((w>>>5|
0)<<2|0)|0)>>2]>>>h|0,s>>>0<32&&(h=h&((1<<s|0)-1|0)|0),U=0;n:for(;;){if(h){h=h&(h-1|0)|0,U=U+1|0;continue n}
break n}y=y+U|0,w=w+s|0;continue i}break i}h=E+(F<<2|0)|0,y>>>0>r[h>>2]>>>0&&(r[h>>2]=y)}p=p+1|0;continue r}
break r}}function X(e,l,t){e=e|0,l=l|0,t=t|0;var i=0,o=0,n=0,f=0,a=0;r:for(;;){if(f>>>0<r[(l+20|0)>>
2]>>>0){o=r[(r[(l+4|0)>>2]+(f<<2|0)|0)>>2],i=o+r[e>>2]|0,(v[i>>0]|0)!=1&&(M[i>>0]=1,r[(r[(e+4|0)>>2]+
(r[(e+20|0)>>2]<<2|0)|0)>>2]=o,r[(e+20|0)>>2]=r[(e+20|0)>>2]+1|0),i=o<<3|0,n=i+r[(e+8|0)>>2]|0,k[n>>
3]=k[n>>3]+k[(r[(l+8|0)>>2]+i|0)>>3],i=0;e:for(;;){if(n=r[(e+16|0)>>2],n>>>0>i>>>0){n=(g(o,n)+i|0)<<
2|0,a=n+r[(e+12|0)>>2]|0,r[a>>2]=r[a>>2]|r[(r[(l+12|0)>>2]+n|0)>>2]|0,i=i+1|0;continue e}break e}(t|
0)>=0&&(o=r[(e+12|0)>>2]+((g(o,r[(e+16|0)>>2])+(t>>>5|0)|0)<<2|0)|0,r[o>>2]=r[o>>2]|(1<<t|0)|0),f=f+
1|0;continue r}break r}}I=v;function Y(){return m.byteLength>>16}function Z(e){e=e|0;var l=Y()|0,t=l+
e|0;if(l<t&&t<65536){var i=new ArrayBuffer(t<<16),o=new Int8Array(i);o.set(M),M=new Int8Array(i),O=new Int16Array(
i),r=new Int32Array(i),v=new Uint8Array(i),L=new Uint16Array(i),C=new Uint32Array(i),D=new Float32Array(
i),k=new Float64Array(i),m=i,I=v}return l}return{decode:K,gatherLengths:J,score:V,addSet:X,intersectSet:G,
subtractSet:N,multiplyByBits:d,collectSessions:R,aggregateDocuments:W,countClauses:Q,listNear:z,memory:Object.
create(Object.prototype,{grow:{value:Z},buffer:{get:function(){return m}}})}}return q({})}
